package brig.gateway.stream;

import io.netty.buffer.ByteBuf;

/**
 * Consecutive frames of one segment: {@code count} of them from {@code firstSeq} on. The bytes are those of the segment;
 * each form is built once for all readers.
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

    /** Bytes of the frames as lines. */
    public int bytes() {
        return segment.lineStart(to) - segment.lineStart(from);
    }

    /** The frames as lines. The caller owns the slice. */
    public ByteBuf lines() {
        return segment.lines(from, to);
    }

    /** The frames as server-sent events, with their positions as ids. The caller owns the slice. */
    public ByteBuf events() {
        return segment.events(from, to);
    }
}
