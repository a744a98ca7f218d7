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
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The frames of one worker that the gateway has not stored yet. It numbers them from 1 without gaps, keeps their bytes
 * in shared arrays, passes them to the connection in batches, and drops acknowledged ones.
 *
 * <p>Backpressure: nothing here blocks. Whoever reads an agent's output asks {@link #readiness} first, and does not
 * read while {@code unackedBytesMax} or more are unacknowledged: the pipe fills, and the agent's own write blocks.
 *
 * <p>While no connection reads, the oldest segments go to disk instead, as far as there is a {@link Spill}. A connection
 * that is slow pauses the agent as ever. A new one reads the disk first, then memory.
 *
 * <p>Threads: any number append, one connection reads and acknowledges. One lock guards everything, the disk too: one
 * segment or one batch is written or read under it. The connection is told of news on the thread that appended.
 *
 * <p>Decisions 0157, 0174, 0177.
 */
public final class Outbox implements FrameSink {
    private static final int SEGMENT_BYTES_MIN = 512;
    private static final int SEGMENT_BYTES_MAX = Limits.FRAME_BYTES_MAX;
    private static final int SPARE_MAX = 64;
    /** The size of one write: the JDK copies it into a direct buffer, which it keeps per thread. */
    private static final int BATCH_BYTES_MAX = 4 * SEGMENT_BYTES_MAX;

    /** Of all outboxes. */
    private static final SpareArrays SPARE = new SpareArrays(SEGMENT_BYTES_MAX, SPARE_MAX);

    private final long unackedBytesMax;
    private final Spill spill;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    /** Told once when there may be room. */
    private List<Runnable> waiting = new ArrayList<>();

    private @Nullable Segment head;
    private @Nullable Segment tail;
    private @Nullable Reader reader;
    private long memoryBytes;
    private long lastSeq;
    private long ackedSeq;
    /** How many pumps append now, and flush then. */
    private int held;

    /** The first frame whose bytes only the present reader has seen. */
    private long ownFrom = 1;

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

    /** Whether an agent's output is to be read. */
    public enum Readiness {
        NOW,
        /** The connection is far behind: in the pipe, output collects to one big frame instead of a thousand small ones. */
        SOON,
        /** Too much is unacknowledged. */
        LATER
    }

    /**
     * Whether to read now.
     *
     * @param again told once, on any thread, when to ask again, unless it is now
     */
    public Readiness readiness(Runnable again) {
        lock.lock();
        try {
            if (gateOpen) {
                return Readiness.NOW;
            }
            boolean full = !hasRoom();
            if (!full && (memoryBytes <= unackedBytesMax / 2 || spills() || !hasUnsent())) {
                return Readiness.NOW;
            }
            if (!waiting.contains(again)) {
                waiting.add(again);
            }
            return full ? Readiness.LATER : Readiness.SOON;
        } finally {
            lock.unlock();
        }
    }

    private boolean spills() {
        return reader == null && spill.hasRoom();
    }

    @Override
    public void append(FrameType type, byte[] body, int length) {
        Reader told;
        lock.lock();
        try {
            add(type, body, length);
            told = held == 0 ? reader : null;
        } finally {
            lock.unlock();
        }
        tell(told);
    }

    /** Appends a frame of Brig's own. */
    public void appendNow(FrameType type, byte[] body) {
        append(type, body, body.length);
    }

    /** Appends a frame of Brig's own, unless the last one was. @return its number; 0 if it was not appended */
    public long appendNumbered(FrameType type, byte[] body) {
        Reader told;
        long seq;
        lock.lock();
        try {
            if (ended) {
                return 0;
            }
            add(type, body, body.length);
            seq = lastSeq;
            told = held == 0 ? reader : null;
        } finally {
            lock.unlock();
        }
        tell(told);
        return seq;
    }

    /** Appends a frame that may be dropped when the reader is far behind. @return whether it was appended */
    public boolean offer(FrameType type, byte[] body) {
        Reader told;
        lock.lock();
        try {
            if (ended || !hasRoom()) {
                return false;
            }
            add(type, body, body.length);
            told = held == 0 ? reader : null;
        } finally {
            lock.unlock();
        }
        tell(told);
        return true;
    }

    /** Appends the last frame of the worker. */
    public void appendLast(FrameType type, byte[] body) {
        Reader told;
        lock.lock();
        try {
            add(type, body, body.length);
            ended = true;
            told = held == 0 ? reader : null;
        } finally {
            lock.unlock();
        }
        tell(told);
    }

    /** The connection is not told of frames before {@link #flush}. */
    public void hold() {
        lock.lock();
        try {
            held++;
        } finally {
            lock.unlock();
        }
    }

    /** Ends a {@link #hold}. */
    public void flush() {
        Reader told;
        lock.lock();
        try {
            held--;
            told = reader != null && hasUnsent() ? reader : null;
        } finally {
            lock.unlock();
        }
        tell(told);
    }

    private static void tell(@Nullable Reader reader) {
        if (reader != null) {
            reader.follower.handleNews(reader);
        }
    }

    /** Those that wait for room, for the caller to run without the lock. */
    private List<Runnable> takeWaiting() {
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Runnable> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
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
    }

    /** Segments double in size from a small one, so that a quiet worker uses little memory. */
    private Segment segmentFor(int frame) {
        Segment last = tail;
        if (last != null && last.free() >= frame) {
            return last;
        }
        int doubled = last == null ? SEGMENT_BYTES_MIN : Math.min(2 * last.bytes.length, SEGMENT_BYTES_MAX);
        Segment fresh = new Segment(SPARE.take(Math.max(doubled, frame)), lastSeq + 1);
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

    private boolean hasUnsent() {
        Reader current = reader;
        if (current == null) {
            return head != null || spill.first() != null;
        }
        return current.part != null || (head != null && !current.atEnd());
    }

    /** The worker is being ended: the rest in its pipes is bounded, so nothing waits for room any longer. */
    public void openGate() {
        List<Runnable> again;
        lock.lock();
        try {
            gateOpen = true;
            again = takeWaiting();
        } finally {
            lock.unlock();
        }
        again.forEach(Runnable::run);
    }

    /**
     * The gateway has stored every frame up to {@code seq}.
     *
     * @return true if that was the worker's last frame
     */
    public boolean ack(long seq) {
        List<Runnable> again;
        boolean drained;
        lock.lock();
        try {
            if (seq > lastSeq) {
                throw BrigException.invalid("ack", "is " + seq + ", but the last frame is " + lastSeq);
            }
            ackedSeq = Math.max(ackedSeq, seq);
            dropAcked();
            again = takeWaiting();
            drained = ended && ackedSeq == lastSeq;
        } finally {
            lock.unlock();
        }
        again.forEach(Runnable::run);
        return drained;
    }

    private void dropAcked() {
        Reader current = reader;
        long droppable =
                current != null && current.part != null ? Math.min(ackedSeq, current.part.firstSeq - 1) : ackedSeq;
        spill.dropAcked(droppable);
        for (Segment oldest = head; oldest != null && oldest.lastSeq <= droppable; oldest = head) {
            removeHead(oldest);
            if (current != null && oldest.firstSeq >= ownFrom && oldest.lastSeq < current.writesFrom) {
                SPARE.give(oldest.bytes);
            }
        }
        if (head == null && current != null) {
            current.segment = null;
        }
    }

    /** The connection of a reader. */
    public interface Follower {
        /** There are frames to {@link Reader#poll}. Called on the thread that appended them, on several at once too. */
        void handleNews(Reader reader);

        /** The reader ended before it closed itself. */
        void handleEnd();
    }

    /**
     * Opens a reader from frame {@code seq} on, or from the first one kept. Any earlier reader ends. The follower is not
     * told of frames that are there already.
     *
     * @throws brig.protocol.BrigException {@code INVALID_FIELD} if frame {@code seq} cannot come next
     */
    public Reader open(long seq, Follower follower) {
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
            fresh = new Reader(Math.max(seq, ackedSeq + 1), follower);
            reader = fresh;
            ownFrom = lastSeq + 1;
            spill.retry();
        } finally {
            lock.unlock();
        }
        if (earlier != null) {
            earlier.follower.handleEnd();
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
        } finally {
            lock.unlock();
        }
        if (last != null) {
            last.follower.handleEnd();
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
        /** From that frame on segments may be still to be written. */
        private long writesFrom;

        private final Follower follower;

        private Reader(long seq, Follower follower) {
            this.follower = follower;
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
         * Takes all frames that are there, up to the size of one write; their bytes do not change before the next call.
         *
         * @return the next bytes; empty for none, or once another reader took over or this one was closed
         * @throws IOException if the disk cannot be read; the next call begins at the same frame
         */
        public List<ByteBuffer> poll() throws IOException {
            List<Runnable> again;
            List<ByteBuffer> taken;
            lock.lock();
            try {
                if (reader != this) {
                    return List.of();
                }
                writesFrom = firstUnwritten();
                if (!hasUnsent()) {
                    return List.of();
                }
                taken = part == null ? collect() : List.of(read(part));
                again = takeWaiting();
            } finally {
                lock.unlock();
            }
            again.forEach(Runnable::run);
            return taken;
        }

        /** A segment is written as a whole. What was taken before is written when more is asked for. */
        private long firstUnwritten() {
            Segment at = segment;
            if (at == null) {
                return lastSeq + 1;
            }
            return offset == at.used ? at.lastSeq + 1 : at.firstSeq;
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
            return batch;
        }

        private boolean atEnd() {
            Segment at = segment;
            return at != null && at.next == null && offset == at.used;
        }

        /** Ends this reader. */
        @Override
        public void close() {
            List<Runnable> again = List.of();
            lock.lock();
            try {
                if (reader == this) {
                    reader = null;
                    again = takeWaiting();
                }
            } finally {
                lock.unlock();
            }
            again.forEach(Runnable::run);
        }
    }
}
