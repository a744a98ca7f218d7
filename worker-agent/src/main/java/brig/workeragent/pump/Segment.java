package brig.workeragent.pump;

import org.jspecify.annotations.Nullable;

/**
 * Whole frames end to end in one array. Bytes below {@link #used} never change, so they are written to a socket without
 * a lock. Everything else is guarded by the lock of the outbox.
 */
final class Segment {
    final byte[] bytes;
    final long firstSeq;
    long lastSeq;
    int used;

    @Nullable
    Segment next;

    Segment(byte[] bytes, long firstSeq) {
        this.bytes = bytes;
        this.firstSeq = firstSeq;
        this.lastSeq = firstSeq - 1;
    }

    void append(byte[] head, int headLength, byte[] body, int bodyLength) {
        System.arraycopy(head, 0, bytes, used, headLength);
        System.arraycopy(body, 0, bytes, used + headLength, bodyLength);
        used += headLength + bodyLength;
        lastSeq++;
    }

    int free() {
        return bytes.length - used;
    }

    /** The offset of the frame of that number, found by counting newlines: each frame has one, its last byte. */
    int offsetOf(long seq) {
        int at = 0;
        for (long skip = seq - firstSeq; skip > 0; at++) {
            if (bytes[at] == '\n') {
                skip--;
            }
        }
        return at;
    }
}
