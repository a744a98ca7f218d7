package brig.workeragent.pump;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The oldest frames of an outbox, on disk: they came from memory, segment by segment, while nobody read them. They lie
 * in parts, a file each, which are removed one by one as they are acknowledged.
 *
 * <p>Where the disk takes no more, or fails, frames stay in memory. A read that fails loses nothing either: the next
 * connection tries again.
 *
 * <p>Guarded by the lock of its outbox.
 *
 * <p>Decision 0157.
 */
public final class Spill {
    private static final Logger LOG = LoggerFactory.getLogger(Spill.class);
    /** What is removed at once; also the most that is searched for a frame. */
    private static final long PART_BYTES_MAX = 8 * 1024 * 1024;
    /** The least number of parts when the disk's share is used up, so that it shrinks before all is acknowledged. */
    private static final int PARTS_MIN = 8;

    /** Whole frames, end to end in one file that has the first one's number as its name. */
    static final class Part {
        final long firstSeq;
        private long lastSeq;
        private long bytes;
        private @Nullable Part next;

        private Part(long firstSeq) {
            this.firstSeq = firstSeq;
        }

        long bytes() {
            return bytes;
        }

        @Nullable
        Part next() {
            return next;
        }
    }

    private final SpillFiles files;
    private final long bytesMax;
    private final long partBytes;
    private @Nullable Part first;
    private @Nullable Part last;
    private long bytes;
    private boolean failed;
    private boolean reported;
    private boolean closed;

    /** @param bytesMax of all parts together; 0: nothing goes to disk */
    Spill(SpillFiles files, long bytesMax) {
        this.files = files;
        this.bytesMax = bytesMax;
        this.partBytes = Math.clamp(bytesMax / PARTS_MIN, 1, PART_BYTES_MAX);
    }

    /** Whether the disk is expected to take another segment. */
    boolean hasRoom() {
        return !failed && !closed && bytes < bytesMax;
    }

    /** Takes over the segment that follows its last one. @return false if the segment must stay in memory */
    boolean append(Segment segment) {
        if (!hasRoom() || bytes + segment.used > bytesMax) {
            return false;
        }
        Part current = last;
        boolean fresh = current == null || current.bytes >= partBytes;
        Part part = current == null || fresh ? new Part(segment.firstSeq) : current;
        try {
            files.write(part.firstSeq, part.bytes, segment.bytes, segment.used);
        } catch (IOException e) {
            handleFault(e);
            if (fresh) {
                delete(part);
            }
            return false;
        }
        part.bytes += segment.used;
        part.lastSeq = segment.lastSeq;
        bytes += segment.used;
        if (fresh) {
            if (current == null) {
                first = part;
            } else {
                current.next = part;
            }
            last = part;
        }
        return true;
    }

    /** The disk may be well again. */
    void retry() {
        failed = false;
    }

    /** What is written may be cut, but was not counted. */
    private void handleFault(IOException e) {
        failed = true;
        report(e);
    }

    private void report(IOException e) {
        if (!reported) {
            reported = true;
            LOG.warn(
                    "the disk fails for unacknowledged frames; the agent waits where memory is used up: {}",
                    e.toString());
        }
    }

    @Nullable
    Part first() {
        return first;
    }

    /** The part with that frame; null if the frame is not on disk. */
    @Nullable
    Part partOf(long seq) {
        Part at = first;
        while (at != null && at.lastSeq < seq) {
            at = at.next;
        }
        return at;
    }

    /** Bytes on disk. */
    long bytes() {
        return bytes;
    }

    /** The place of a frame in its part. The buffer is overwritten. */
    long offsetOf(Part part, long seq, byte[] buffer) throws IOException {
        long skip = Math.max(0, seq - part.firstSeq);
        long at = 0;
        while (skip > 0) {
            int count = read(part, at, buffer);
            int end = 0;
            while (skip > 0 && end < count) {
                if (buffer[end] == '\n') {
                    skip--;
                }
                end++;
            }
            at += end;
        }
        return at;
    }

    /** Reads whole frames from their place on. @return the number of bytes */
    int read(Part part, long at, byte[] into) throws IOException {
        int count = (int) Math.min(into.length, part.bytes - at);
        try {
            files.read(part.firstSeq, at, into, count);
        } catch (IOException e) {
            report(e);
            throw e;
        }
        while (count > 0 && into[count - 1] != '\n') {
            count--;
        }
        if (count == 0) {
            throw new IOException("a file of frames is damaged");
        }
        return count;
    }

    /** Removes the parts of which every frame is acknowledged. */
    void dropAcked(long ackedSeq) {
        Part part = first;
        while (part != null && part.lastSeq <= ackedSeq) {
            delete(part);
            bytes -= part.bytes;
            part = part.next;
        }
        first = part;
        if (part == null) {
            last = null;
        }
    }

    private void delete(Part part) {
        try {
            files.delete(part.firstSeq);
        } catch (IOException e) {
            report(e);
        }
    }

    /** Takes nothing more, and removes everything. */
    void close() {
        closed = true;
        first = null;
        last = null;
        if (bytes > 0) {
            bytes = 0;
            try {
                files.deleteAll();
            } catch (IOException e) {
                report(e);
            }
        }
    }
}
