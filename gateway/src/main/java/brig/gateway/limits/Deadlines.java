package brig.gateway.limits;

/**
 * How long a connection may take for what it has to do next, in milliseconds.
 *
 * @param requestHeadMs for all of a request's first line and headers, from the connection's beginning or their first byte
 * @param authMs for the first line on a Unix socket, and for the token on a connection that came without
 * @param requestBodyMs for all of a request's body
 * @param keepAliveMs without a request between two; and to take an answer, for who is not known
 */
public record Deadlines(long requestHeadMs, long authMs, long requestBodyMs, long keepAliveMs) {
    long ms(GuardedConnection.Wait wait) {
        return switch (wait) {
            case OPENED, HEAD -> requestHeadMs;
            case BODY -> requestBodyMs;
            case ANSWER, IDLE -> keepAliveMs;
            case FIRST_LINE, AUTH -> authMs;
            case NOTHING -> throw new IllegalArgumentException("nothing has no deadline");
        };
    }

    long shortestMs() {
        return Math.min(Math.min(requestHeadMs, authMs), Math.min(requestBodyMs, keepAliveMs));
    }
}
