package brig.workeragent.pump;

import brig.formats.adapter.FrameSink;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.wire.FrameType;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one worker that the gateway has not stored yet. It numbers them from 1 without gaps, keeps their bytes
 * in shared arrays, passes them to the connection in batches, and drops acknowledged ones.
 *
 * <p>Backpressure: an agent's output waits while {@code unackedBytesMax} or more are unacknowledged. The pipe is then
 * not read, it fills, and the agent's own write blocks. Brig's own frames (state, done, error, answered) never wait: they
 * are few, and the end of a worker must not depend on its reader.
 *
 * <p>While no connection reads, the oldest segments go to disk instead, as far as there is a {@link Spill}. A connection
 * that is slow pauses the agent as ever. A new one reads the disk first, then memory.
 *
 * <p>Threads: any number append, one connection reads and acknowledges. One lock guards everything, the disk too: one
 * segment or one batch is written or read under it.
 *
 * <p>Decision 0157.
 */
public final class Outbox implements FrameSink {
    private static final int SEGMENT_BYTES_MIN = 512;
    private static final int SEGMENT_BYTES_MAX = Limits.FRAME_BYTES_MAX;
    /** The size of one write: the JDK copies it into a direct buffer, which it keeps per thread. */
    private static final int BATCH_BYTES_MAX = 4 * SEGMENT_BYTES_MAX;

    private final long unackedBytesMax;
    private final Spill spill;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition room = lock.newCondition();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private @Nullable Segment head;
    private @Nullable Segment tail;
    private @Nullable Reader reader;
    private long memoryBytes;
    private long lastSeq;
    private long ackedSeq;
    private boolean gateOpen;
    private boolean ended;
    private boolean closed;

    /** An outbox without a disk. */
    public Outbox(long unackedBytesMax) {
        this(unackedBytesMax, SpillFolder.none());
    }

    /** @param unackedBytesMax in memory */
    public Outbox(long unackedBytesMax, Spill spill) {
        this.unackedBytesMax = unackedBytesMax;
        this.spill = spill;
    }

    @Override
    public void append(FrameType type, byte[] body, int length) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (!gateOpen && !hasRoom()) {
                room.await();
            }
            add(type, body, length);
        } finally {
            lock.unlock();
        }
    }

    /** Appends a frame of a type that never waits. */
    public void appendNow(FrameType type, byte[] body) {
        if (waits(type)) {
            throw new IllegalArgumentException(type + " may have to wait");
        }
        lock.lock();
        try {
            add(type, body, body.length);
        } finally {
            lock.unlock();
        }
    }

    /** Appends a frame that may be dropped when the reader is far behind. @return whether it was appended */
    public boolean offer(FrameType type, byte[] body) {
        lock.lock();
        try {
            if (ended || !hasRoom()) {
                return false;
            }
            add(type, body, body.length);
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Appends the last frame of the worker. */
    public void appendLast(FrameType type, byte[] body) {
        lock.lock();
        try {
            appendNow(type, body);
            ended = true;
        } finally {
            lock.unlock();
        }
    }

    /** Whether there is room in memory, or the disk makes some. */
    private boolean hasRoom() {
        while (memoryBytes >= unackedBytesMax) {
            Segment oldest = head;
            if (oldest == null || reader != null || !spill.append(oldest)) {
                return false;
            }
            removeHead(oldest);
        }
        return true;
    }

    private void removeHead(Segment oldest) {
        memoryBytes -= oldest.used;
        head = oldest.next;
        if (head == null) {
            tail = null;
        }
    }

    private static boolean waits(FrameType type) {
        return switch (type) {
            case CHUNK, TOOL, USAGE, SUBAGENT, SESSION, PLAN, PERMISSION, RAW, EGRESS, ASK, UNKNOWN -> true;
            case MESSAGE, ACCEPTED, DONE, ERROR, STATE, ANSWERED, GAP, AUTHENTICATED -> false;
        };
    }

    private void add(FrameType type, byte[] body, int length) {
        if (ended) {
            throw new IllegalStateException("a frame behind the last one");
        }
        byte[] start =
                ("{\"type\":\"" + type.wireName() + "\",\"seq\":" + (lastSeq + 1)).getBytes(StandardCharsets.US_ASCII);
        int frame = start.length + length;
        if (frame > Limits.FRAME_BYTES_MAX) {
            throw new IllegalArgumentException("a frame of " + frame + " bytes");
        }
        segmentFor(frame).append(start, start.length, body, length);
        lastSeq++;
        memoryBytes += frame;
        news.signal();
    }

    /** Segments double in size from a small one, so that a quiet worker uses little memory. */
    private Segment segmentFor(int frame) {
        Segment last = tail;
        if (last != null && last.free() >= frame) {
            return last;
        }
        int doubled = last == null ? SEGMENT_BYTES_MIN : Math.min(2 * last.bytes.length, SEGMENT_BYTES_MAX);
        Segment fresh = new Segment(Math.max(doubled, frame), lastSeq + 1);
        if (last == null) {
            head = fresh;
            if (reader != null) {
                reader.segment = fresh;
                reader.offset = 0;
            }
        } else {
            last.next = fresh;
        }
        tail = fresh;
        return fresh;
    }

    /**
     * Pauses briefly before the next read of a pipe if the reader is far behind: output collects in the pipe and
     * becomes one big frame instead of a thousand small ones.
     */
    public void awaitReader(long waitMs) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long nanos = TimeUnit.MILLISECONDS.toNanos(waitMs);
            while (nanos > 0 && !gateOpen && memoryBytes > unackedBytesMax / 2 && !spills() && hasUnsent()) {
                nanos = room.awaitNanos(nanos);
            }
        } finally {
            lock.unlock();
        }
    }

    private boolean spills() {
        return reader == null && spill.hasRoom();
    }

    private boolean hasUnsent() {
        Reader current = reader;
        if (current == null) {
            return head != null || spill.first() != null;
        }
        return current.part != null || (head != null && !current.atEnd());
    }

    /** The worker is being ended: the rest in its pipes is bounded, so nothing waits for room any longer. */
    public void openGate() {
        lock.lock();
        try {
            gateOpen = true;
            room.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * The gateway has stored every frame up to {@code seq}.
     *
     * @return true if that was the worker's last frame
     */
    public boolean ack(long seq) {
        lock.lock();
        try {
            if (seq > lastSeq) {
                throw BrigException.invalid("ack", "is " + seq + ", but the last frame is " + lastSeq);
            }
            ackedSeq = Math.max(ackedSeq, seq);
            dropAcked();
            room.signalAll();
            return ended && ackedSeq == lastSeq;
        } finally {
            lock.unlock();
        }
    }

    private void dropAcked() {
        Reader current = reader;
        long droppable =
                current != null && current.part != null ? Math.min(ackedSeq, current.part.firstSeq - 1) : ackedSeq;
        spill.dropAcked(droppable);
        for (Segment oldest = head; oldest != null && oldest.lastSeq <= droppable; oldest = head) {
            removeHead(oldest);
        }
        if (head == null && current != null) {
            current.segment = null;
        }
    }

    /**
     * Opens a reader from frame {@code seq} on, or from the first one kept. Any earlier reader ends.
     *
     * @param ended runs when this reader ends before it closes itself
     * @throws brig.protocol.BrigException {@code INVALID_FIELD} if frame {@code seq} cannot come next
     */
    public Reader open(long seq, Runnable ended) {
        Reader earlier;
        Reader fresh;
        lock.lock();
        try {
            if (closed) {
                throw new BrigException(ErrorCode.SESSION_ENDED, "the worker is forgotten");
            }
            if (seq < 1 || seq > lastSeq + 1) {
                throw BrigException.invalid("resume", "is " + seq + ", but the next frame is " + (lastSeq + 1));
            }
            earlier = reader;
            fresh = new Reader(Math.max(seq, ackedSeq + 1), ended);
            reader = fresh;
            spill.retry();
            news.signalAll();
        } finally {
            lock.unlock();
        }
        if (earlier != null) {
            earlier.ended.run();
        }
        return fresh;
    }

    /** Nobody reads the frames any longer: ends the reader, and refuses later ones. */
    public void close() {
        Reader last;
        lock.lock();
        try {
            closed = true;
            last = reader;
            reader = null;
            spill.close();
            news.signalAll();
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.ended.run();
        }
    }

    /** Whether a connection reads the frames now. */
    public boolean hasReader() {
        lock.lock();
        try {
            return reader != null;
        } finally {
            lock.unlock();
        }
    }

    /** The number of the newest frame, 0 for none. */
    public long lastSeq() {
        lock.lock();
        try {
            return lastSeq;
        } finally {
            lock.unlock();
        }
    }

    /** Bytes that are kept in memory. */
    long memoryBytes() {
        lock.lock();
        try {
            return memoryBytes;
        } finally {
            lock.unlock();
        }
    }

    /** One connection's position in the frames. */
    public final class Reader implements AutoCloseable {
        // Guarded by the lock of the outbox.
        /** On disk; null: in memory. While there is a reader nothing goes to disk, so no part follows the last one. */
        private Spill.@Nullable Part part;
        /** The frame to begin with in the part; 0: at the offset. */
        private long partSeq;

        private long partOffset;
        /** What was read from disk last. */
        private byte @Nullable [] fromDisk;
        /** Null: memory is empty. While it reads from disk: the head. */
        private @Nullable Segment segment;

        private int offset;
        private final Runnable ended;

        private Reader(long seq, Runnable ended) {
            this.ended = ended;
            part = spill.partOf(seq);
            partSeq = part == null ? 0 : seq;
            Segment at = head;
            while (part == null && at != null && at.lastSeq < seq && at.next != null) {
                at = at.next;
            }
            segment = at;
            offset = part != null || at == null ? 0 : at.offsetOf(seq);
        }

        /**
         * Waits for frames and takes them all, up to the size of one write; their bytes do not change before the next
         * call.
         *
         * @return the next bytes, or an empty list once another reader took over or this one was closed
         * @throws IOException if the disk cannot be read; the next call begins at the same frame
         */
        public List<ByteBuffer> take() throws InterruptedException, IOException {
            lock.lockInterruptibly();
            try {
                while (reader == this && !hasUnsent()) {
                    news.await();
                }
                if (reader != this) {
                    return List.of();
                }
                return part == null ? collect() : List.of(read(part));
            } finally {
                lock.unlock();
            }
        }

        private ByteBuffer read(Spill.Part from) throws IOException {
            if (fromDisk == null) {
                fromDisk = new byte[BATCH_BYTES_MAX];
            }
            byte[] bytes = fromDisk;
            if (partSeq > 0) {
                partOffset = spill.offsetOf(from, partSeq, bytes);
                partSeq = 0;
            }
            int count = spill.read(from, partOffset, bytes);
            partOffset += count;
            if (partOffset == from.bytes()) {
                part = from.next();
                partOffset = 0;
                if (part == null) {
                    fromDisk = null;
                }
            }
            room.signalAll();
            return ByteBuffer.wrap(bytes, 0, count);
        }

        private List<ByteBuffer> collect() {
            List<ByteBuffer> batch = new ArrayList<>();
            Segment at = segment;
            for (int taken = 0; at != null && taken < BATCH_BYTES_MAX; ) {
                if (offset < at.used) {
                    batch.add(ByteBuffer.wrap(at.bytes, offset, at.used - offset));
                    taken += at.used - offset;
                    offset = at.used;
                }
                segment = at;
                at = at.next;
                if (at != null) {
                    segment = at;
                    offset = 0;
                }
            }
            room.signalAll();
            return batch;
        }

        private boolean atEnd() {
            Segment at = segment;
            return at != null && at.next == null && offset == at.used;
        }

        /** Ends this reader; a thread that waits in {@link #take} returns. */
        @Override
        public void close() {
            lock.lock();
            try {
                if (reader == this) {
                    reader = null;
                    room.signalAll();
                }
                news.signalAll();
            } finally {
                lock.unlock();
            }
        }
    }
}
