package brig.loadtests.client;

import org.jspecify.annotations.Nullable;

/**
 * The options of a reader.
 *
 * @param from the first frame wanted, or an invalid value in its place; null to leave it out
 * @param cutBytes the connection is cut after that many bytes
 * @param receiveBytes as in {@link Wire}
 * @param maxLatencyMs how long text may wait to be merged, or an invalid value in its place; null to leave it out
 */
public record OpenRequest(
        String token,
        @Nullable Object from,
        long cutBytes,
        int receiveBytes,
        @Nullable Object maxLatencyMs) {
    private static final int SMALL_BYTES = 4096;

    public static OpenRequest captain(Session session) {
        return new OpenRequest(session.captainToken(), null, Long.MAX_VALUE, 0, null);
    }

    public static OpenRequest watcher(Session session) {
        return new OpenRequest(session.watcherToken(), null, Long.MAX_VALUE, 0, null);
    }

    public OpenRequest from(long seq) {
        return fromValue(seq);
    }

    /** @param value a JSON value, not necessarily a number */
    public OpenRequest fromValue(Object value) {
        return new OpenRequest(token, value, cutBytes, receiveBytes, maxLatencyMs);
    }

    public OpenRequest cutAfter(long bytes) {
        return new OpenRequest(token, from, bytes, receiveBytes, maxLatencyMs);
    }

    /** With a small kernel buffer, so that a stalled reader is noticed soon. */
    public OpenRequest narrow() {
        return new OpenRequest(token, from, cutBytes, SMALL_BYTES, maxLatencyMs);
    }

    /** @param value a JSON value, not necessarily a number */
    public OpenRequest merged(Object value) {
        return new OpenRequest(token, from, cutBytes, receiveBytes, value);
    }
}
