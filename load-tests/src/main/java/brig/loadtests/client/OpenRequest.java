package brig.loadtests.client;

import org.jspecify.annotations.Nullable;

/**
 * How a reader comes in.
 *
 * @param from the first frame wanted, or what is to be said instead of its number; null to leave it out
 * @param cutBytes read so many bytes, no more
 * @param receiveBytes as {@link Wire} has it
 */
public record OpenRequest(String token, @Nullable Object from, long cutBytes, int receiveBytes) {
    private static final int SMALL_BYTES = 4096;

    public static OpenRequest captain(Session session) {
        return new OpenRequest(session.captainToken(), null, Long.MAX_VALUE, 0);
    }

    public static OpenRequest watcher(Session session) {
        return new OpenRequest(session.watcherToken(), null, Long.MAX_VALUE, 0);
    }

    public OpenRequest from(long seq) {
        return fromValue(seq);
    }

    /** @param value a value of JSON, which may be no number at all */
    public OpenRequest fromValue(Object value) {
        return new OpenRequest(token, value, cutBytes, receiveBytes);
    }

    public OpenRequest cutAfter(long bytes) {
        return new OpenRequest(token, from, bytes, receiveBytes);
    }

    /** With little room in the kernel, so that one who does not read is soon noticed. */
    public OpenRequest narrow() {
        return new OpenRequest(token, from, cutBytes, SMALL_BYTES);
    }
}
