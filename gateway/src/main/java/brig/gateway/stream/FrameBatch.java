package brig.gateway.stream;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Consecutive frames of one segment: {@code count} of them from {@code firstSeq} on. The bytes belong to the segment;
 * each form is built once for all subscribers.
 *
 * <p>Decision 0004.
 */
public final class FrameBatch {
    private final Segment segment;
    private final int from;
    private final int to;

    FrameBatch(Segment segment, int from, int to) {
        this.segment = segment;
        this.from = from;
        this.to = to;
    }

    public long firstSeq() {
        return segment.firstSeq() + from;
    }

    public long lastSeq() {
        return segment.seqOf(to - 1);
    }

    /** The number of frames; a merged one is one. */
    int count() {
        return to - from;
    }

    /** Whether its last frame is text. */
    boolean endsInText() {
        return segment.isChunk(to - 1);
    }

    /** Receives the bytes of one line. */
    interface LineTaker {
        void take(long seq, byte[] bytes, int offset, int length);
    }

    /** Passes on its lines, one after the other. They are in an array that never changes. */
    void forEachLine(LineTaker taker) {
        byte[] bytes = copy();
        int start = segment.lineStart(from);
        for (int i = from; i < to; i++) {
            int line = segment.lineStart(i);
            taker.take(segment.seqOf(i), bytes, line - start, segment.lineStart(i + 1) - line);
        }
    }

    private byte[] copy() {
        byte[] bytes = new byte[bytes()];
        ByteBuf lines = lines();
        lines.readBytes(bytes);
        lines.release();
        return bytes;
    }

    /** Passes on the frames that match, as batches of consecutive frames. */
    void narrow(AgentFilter narrowing, Consumer<FrameBatch> taker) {
        byte[] bytes = copy();
        int start = segment.lineStart(from);
        int runStart = from;
        for (int i = from; i < to; i++) {
            int line = segment.lineStart(i);
            if (!narrowing.passes(bytes, line - start, segment.lineStart(i + 1) - line)) {
                give(runStart, i, taker);
                runStart = i + 1;
            }
        }
        give(runStart, to, taker);
    }

    private void give(int first, int end, Consumer<FrameBatch> taker) {
        if (first < end) {
            taker.accept(new FrameBatch(segment, first, end));
        }
    }

    /** Length of the frames as lines, in bytes. */
    public int bytes() {
        return segment.lineStart(to) - segment.lineStart(from);
    }

    /** The frames as lines. The caller owns the slice. */
    public ByteBuf lines() {
        return segment.lines(from, to);
    }

    /** The frames in the transport's form, without its framing. The caller owns the slice. */
    public ByteBuf body(Framing framing) {
        return segment.body(framing, from, to);
    }

    /** The frames with the transport's framing, in one buffer. The caller owns the slice. */
    public ByteBuf framed(Framing framing) {
        return segment.framed(framing, from, to);
    }
}
