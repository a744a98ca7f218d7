package brig.gateway.stream;

import io.netty.buffer.ByteBuf;
import java.util.function.Consumer;

/**
 * Consecutive frames of one segment: {@code count} of them from {@code firstSeq} on. The bytes are those of the segment;
 * each form is built once for all readers.
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
        return segment.firstSeq() + to - 1;
    }

    /** Hands over those of its frames that pass, as batches of consecutive frames. */
    void narrow(AgentFilter narrowing, Consumer<FrameBatch> taker) {
        byte[] bytes = new byte[bytes()];
        ByteBuf lines = lines();
        lines.readBytes(bytes);
        lines.release();
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

    /** Bytes of the frames as lines. */
    public int bytes() {
        return segment.lineStart(to) - segment.lineStart(from);
    }

    /** The frames as lines. The caller owns the slice. */
    public ByteBuf lines() {
        return segment.lines(from, to);
    }

    /** The frames as that transport carries them, without what it puts around them. The caller owns the slice. */
    public ByteBuf body(Framing framing) {
        return segment.body(framing, from, to);
    }

    /** The frames within what a transport puts around them, in one piece. The caller owns the slice. */
    public ByteBuf framed(Framing framing) {
        return segment.framed(framing, from, to);
    }
}
