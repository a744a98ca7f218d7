package brig.gateway.limits;

/**
 * How long a connection may take for its next step, in milliseconds.
 *
 * @param requestHeadMs for a request's first line and headers, from the connection's beginning or their first byte
 * @param authMs for the first line on a Unix socket, and for the token on an unauthenticated connection
 * @param requestBodyMs for a request's body
 * @param keepAliveMs between two requests; and to take an answer, if unauthenticated
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
