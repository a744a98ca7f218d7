package brig.gateway.stream;

import brig.protocol.wire.ChunkScanner;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Consecutive frames in one block of memory: their lines end to end, the end of each, and, once a browser subscribes,
 * the same frames as server-sent events. Written bytes never move, so subscribers take slices while more is appended.
 * After the frames are the unparsed bytes, which were read from the worker and which are not frames yet. A segment with
 * unparsed bytes takes no other frames.
 *
 * <p>Reference counted: the log holds one reference, every slice in a connection's queue another.
 */
class Segment {
    /** A segment holds at most capacity / this many frames, which bounds the events beside the lines. */
    static final int BYTES_PER_FRAME = 64;
    /** The fraction 1 / WASTE of a segment may stay empty, to avoid reads of a few bytes. */
    private static final int WASTE = 8;
    /** Room for {@code id: <epoch>-<seq>}, {@code data: } and the newlines of one event: 4 + 8 + 1 + 18 + 1 + 6 + 1. */
    private static final int EVENT_OVERHEAD_BYTES = 39;

    private static final ByteBuf CHUNK =
            Unpooled.unreleasableBuffer(Unpooled.copiedBuffer("{\"type\":\"chunk\",", StandardCharsets.US_ASCII));
    private static final byte[] DATA = "\ndata: ".getBytes(StandardCharsets.US_ASCII);

    private final ByteBufAllocator allocator;
    private final byte[] idPrefix;
    private final long firstSeq;
    /** Bytes of the stream before this segment, used to compare positions. */
    private final long startOffset;

    private final ByteBuf lines;
    /** All of its memory, for the scanner. */
    private final ByteBuffer memory;
    /** The end of the line of frame i, which begins at the end of the one before. */
    private final int[] lineEnds;

    private int count;
    /** The number of unparsed bytes, which begin at the writer index of the lines. */
    private int unparsedBytes;

    private @Nullable ByteBuf events;
    private int[] eventEnds = new int[0];
    private int eventCount;
    private @Nullable Framed framed;

    /** A batch with its framing. */
    private record Framed(Framing framing, int from, int to, ByteBuf bytes) {}

    Segment(ByteBufAllocator allocator, String epoch, long firstSeq, long startOffset, int capacity) {
        this.allocator = allocator;
        this.idPrefix = ("id: " + epoch + "-").getBytes(StandardCharsets.US_ASCII);
        this.firstSeq = firstSeq;
        this.startOffset = startOffset;
        this.lines = allocator.directBuffer(capacity, capacity);
        this.memory = lines.nioBuffer(0, capacity).order(ByteOrder.LITTLE_ENDIAN);
        this.lineEnds = new int[Math.max(1, capacity / BYTES_PER_FRAME)];
    }

    /** A segment of lines read from disk; takes ownership. Every line ends with a newline. */
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

    /** Whether a frame of that length can be appended. */
    boolean hasRoomFor(int length) {
        return unparsedBytes == 0 && count < lineEnds.length && lines.writableBytes() >= length;
    }

    void append(byte[] bytes, int offset, int length) {
        lines.writeBytes(bytes, offset, length);
        lineEnds[count++] = lines.writerIndex();
    }

    /** Whether the room after the unparsed bytes is worth a read, or a new segment would have no more. */
    boolean hasRoomToRead() {
        int room = lines.writableBytes() - unparsedBytes;
        return !isFull()
                && room > 0
                && (room >= lines.capacity() / WASTE || (isEmpty() && 2 * unparsedBytes > lines.capacity()));
    }

    /** The memory after the unparsed bytes, for a read reported by {@link #handleRead}. The caller owns it. */
    ByteBuf room() {
        int from = lines.writerIndex() + unparsedBytes;
        return lines.retainedSlice(from, lines.capacity() - from).clear();
    }

    /** That many bytes were read into {@link #room}. */
    void handleRead(int bytes) {
        unparsedBytes += bytes;
    }

    /** Number of bytes read that are not frames yet. */
    int unparsedBytes() {
        return unparsedBytes;
    }

    /** Converts unparsed bytes to frames as far as they are the expected chunks. @return bytes of these frames */
    int parse(ChunkScanner scanner) {
        int from = lines.writerIndex();
        int before = count;
        count = scanner.scan(memory, from, from + unparsedBytes, endSeq(), lineEnds, before);
        if (count > before) {
            lines.writerIndex(lineEnds[count - 1]);
        }
        int parsed = lines.writerIndex() - from;
        unparsedBytes -= parsed;
        return parsed;
    }

    boolean isEmpty() {
        return count == 0;
    }

    boolean isFull() {
        return count == lineEnds.length;
    }

    /** Whether the unparsed bytes contain a newline. */
    boolean hasUnparsedNewline() {
        return lines.indexOf(lines.writerIndex(), lines.writerIndex() + unparsedBytes, (byte) '\n') >= 0;
    }

    /** Moves the unparsed bytes to the beginning of an array. @return their number */
    int takeUnparsed(byte[] to) {
        lines.getBytes(lines.writerIndex(), to, 0, unparsedBytes);
        return forgetUnparsed();
    }

    /** Moves the unparsed bytes of the previous segment to this one, which has no frames yet. */
    void takeUnparsed(Segment before) {
        lines.setBytes(0, before.lines, before.lines.writerIndex(), before.unparsedBytes);
        unparsedBytes = before.forgetUnparsed();
    }

    /** @return their number */
    int forgetUnparsed() {
        int forgotten = unparsedBytes;
        unparsedBytes = 0;
        return forgotten;
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

    /** Its memory, including free room. */
    int heldBytes() {
        return lines.capacity() + (events == null ? 0 : events.capacity());
    }

    int lineStart(int index) {
        return index == 0 ? 0 : lineEnds[index - 1];
    }

    /** The number of frame i. */
    long seqOf(int index) {
        return firstSeq + index;
    }

    /** Whether frame i is text, in the form in which the worker-agent writes it. */
    boolean isChunk(int index) {
        int start = lineStart(index);
        return lineEnds[index] - start > CHUNK.readableBytes()
                && ByteBufUtil.equals(CHUNK, 0, lines, start, CHUNK.readableBytes());
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
     * The newest one is cached until {@link #forgetFramed}, as subscribers mostly want the same. Only one, since
     * subscribers may attach anywhere and the cache must stay bounded.
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

    /** Call it at the end of the event loop iteration that built it. */
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
            writeDecimal(out, seqOf(eventCount));
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

    /** Releases the log's reference; the memory is freed with the last slice. */
    void release() {
        forgetFramed();
        lines.release();
        if (events != null) {
            events.release();
        }
    }
}
