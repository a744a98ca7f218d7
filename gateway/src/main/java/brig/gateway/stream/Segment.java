package brig.gateway.stream;

import brig.protocol.ChunkRun;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive frames in one piece of memory: their lines end to end, where each ends, and, once a browser listens, the
 * same frames as server-sent events. What is written never moves, so readers take slices of it while more is appended.
 *
 * <p>Reference counted: the log holds one reference, every slice in a connection's queue another.
 */
final class Segment {
    /** A segment holds at most capacity / this many frames, which bounds the events beside the lines. */
    private static final int BYTES_PER_FRAME = 64;
    /** Room for {@code id: <epoch>-<seq>}, {@code data: } and the newlines of one event: 4 + 8 + 1 + 18 + 1 + 6 + 1. */
    private static final int EVENT_OVERHEAD_BYTES = 39;
    private static final byte[] DATA = "\ndata: ".getBytes(StandardCharsets.US_ASCII);

    private final ByteBufAllocator allocator;
    private final byte[] idPrefix;
    private final long firstSeq;
    /** Bytes of the stream before this segment: what positions are compared by. */
    private final long startOffset;
    private final ByteBuf lines;
    /** Where the line of frame i ends; it begins where the one before ends. */
    private final int[] lineEnds;
    private int count;
    private @Nullable ByteBuf events;
    private int[] eventEnds = new int[0];
    private int eventCount;
    private @Nullable Framed framed;

    /** A batch as it was framed. */
    private record Framed(Framing framing, int from, int to, ByteBuf bytes) {}

    Segment(ByteBufAllocator allocator, String epoch, long firstSeq, long startOffset, int capacity) {
        this.allocator = allocator;
        this.idPrefix = ("id: " + epoch + "-").getBytes(StandardCharsets.US_ASCII);
        this.firstSeq = firstSeq;
        this.startOffset = startOffset;
        this.lines = allocator.directBuffer(capacity, capacity);
        this.lineEnds = new int[Math.max(1, capacity / BYTES_PER_FRAME)];
    }

    /** A segment over lines that were read from disk, which it takes over. Every line ends with a newline. */
    static Segment ofLines(ByteBufAllocator allocator, String epoch, long firstSeq, byte[] stored) {
        int frames = 0;
        for (byte b : stored) {
            frames += b == '\n' ? 1 : 0;
        }
        int capacity = Math.max(stored.length, frames * BYTES_PER_FRAME);
        Segment segment = new Segment(allocator, epoch, firstSeq, 0, Math.max(capacity, 1));
        int start = 0;
        for (int i = 0; i < stored.length; i++) {
            if (stored[i] == '\n') {
                segment.append(stored, start, i + 1 - start);
                start = i + 1;
            }
        }
        return segment;
    }

    boolean hasRoomFor(int length) {
        return count < lineEnds.length && lines.writableBytes() >= length;
    }

    void append(byte[] bytes, int offset, int length) {
        lines.writeBytes(bytes, offset, length);
        lineEnds[count++] = lines.writerIndex();
    }

    /** Adds lines of the run from {@code from} on, as many as there is room for. @return how many */
    int append(ChunkRun run, int from) {
        int start = run.start(from);
        int room = lines.writableBytes();
        int shift = lines.writerIndex() - start;
        int to = from;
        while (to < run.count() && count < lineEnds.length && run.end(to) - start <= room) {
            lineEnds[count++] = run.end(to++) + shift;
        }
        if (to > from) {
            lines.writeBytes(run.bytes(), start, run.end(to - 1) - start);
        }
        return to - from;
    }

    long firstSeq() {
        return firstSeq;
    }

    /** One past the last frame. */
    long endSeq() {
        return firstSeq + count;
    }

    long startOffset() {
        return startOffset;
    }

    long endOffset() {
        return startOffset + lines.writerIndex();
    }

    /** Memory that it takes, the room for more included. */
    int heldBytes() {
        return lines.capacity() + (events == null ? 0 : events.capacity());
    }

    int lineStart(int index) {
        return index == 0 ? 0 : lineEnds[index - 1];
    }

    /** The frames from {@code seq} on, as many as fit {@code bytesMax}, at least one. */
    FrameBatch batch(long seq, int bytesMax) {
        int from = (int) (seq - firstSeq);
        int limit = lineStart(from) + bytesMax;
        int to = count;
        if (lineEnds[count - 1] > limit) {
            to = from + 1;
            while (to < count && lineEnds[to] <= limit) {
                to++;
            }
        }
        return new FrameBatch(this, from, to);
    }

    ByteBuf lines(int from, int to) {
        int start = lineStart(from);
        return lines.retainedSlice(start, lineStart(to) - start);
    }

    /**
     * The newest one is kept until {@link #forgetFramed}, since the readers of a stream mostly want the same. Only one: a
     * reader may attach anywhere, and what it wants must not add up.
     */
    ByteBuf framed(Framing framing, int from, int to) {
        Framed kept = framed;
        if (kept != null && kept.framing() == framing && kept.from() == from && kept.to() == to) {
            return kept.bytes().retainedSlice();
        }
        forgetFramed();
        ByteBuf body = body(framing, from, to);
        ByteBuf bytes = allocator.directBuffer(body.readableBytes() + framing.bytesMax());
        framing.writeHead(bytes, body.readableBytes());
        bytes.writeBytes(body);
        body.release();
        framing.writeTail(bytes);
        framed = new Framed(framing, from, to, bytes);
        return bytes.retainedSlice();
    }

    /** To be called when the turn of the loop is over in which it was built. */
    void forgetFramed() {
        if (framed != null) {
            framed.bytes().release();
            framed = null;
        }
    }

    ByteBuf body(Framing framing, int from, int to) {
        return framing.ofEvents() ? events(from, to) : lines(from, to);
    }

    ByteBuf events(int from, int to) {
        ByteBuf built = buildEvents(to);
        int start = from == 0 ? 0 : eventEnds[from - 1];
        return built.retainedSlice(start, eventEnds[to - 1] - start);
    }

    private ByteBuf buildEvents(int to) {
        ByteBuf out = events;
        if (out == null) {
            int capacity = lines.capacity() + EVENT_OVERHEAD_BYTES * lineEnds.length;
            out = allocator.directBuffer(capacity, capacity);
            events = out;
            eventEnds = new int[lineEnds.length];
        }
        for (; eventCount < to; eventCount++) {
            int start = lineStart(eventCount);
            out.writeBytes(idPrefix);
            writeDecimal(out, firstSeq + eventCount);
            out.writeBytes(DATA);
            out.writeBytes(lines, start, lineEnds[eventCount] - start);
            out.writeByte('\n');
            eventEnds[eventCount] = out.writerIndex();
        }
        return out;
    }

    private static void writeDecimal(ByteBuf out, long value) {
        long unit = 1;
        while (value / unit >= 10) {
            unit *= 10;
        }
        for (; unit > 0; unit /= 10) {
            out.writeByte('0' + (int) (value / unit % 10));
        }
    }

    /** Gives up the log's reference; the memory goes when the last slice does. */
    void release() {
        forgetFramed();
        lines.release();
        if (events != null) {
            events.release();
        }
    }
}
