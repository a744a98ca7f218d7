package brig.loadtests.conformance;

import org.jspecify.annotations.Nullable;

/**
 * How a reader comes in.
 *
 * @param from JSON for the first frame wanted, null to leave it out
 * @param cutBytes read so many bytes, no more
 * @param receiveBytes as {@link Wire} has it
 */
record Opening(String token, @Nullable String from, long cutBytes, int receiveBytes) {
    private static final int SMALL_BYTES = 4096;

    static Opening captain(Session session) {
        return new Opening(session.captainToken(), null, Long.MAX_VALUE, 0);
    }

    static Opening watcher(Session session) {
        return new Opening(session.watcherToken(), null, Long.MAX_VALUE, 0);
    }

    Opening from(long seq) {
        return from(String.valueOf(seq));
    }

    Opening from(String json) {
        return new Opening(token, json, cutBytes, receiveBytes);
    }

    Opening cutAfter(long bytes) {
        return new Opening(token, from, bytes, receiveBytes);
    }

    /** With little room in the kernel, so that one who does not read is soon noticed. */
    Opening narrow() {
        return new Opening(token, from, cutBytes, SMALL_BYTES);
    }
}
