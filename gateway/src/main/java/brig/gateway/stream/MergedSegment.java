package brig.gateway.stream;

import io.netty.buffer.ByteBufAllocator;

/** Frames made for one subscriber out of a batch. Their numbers are not consecutive. */
final class MergedSegment extends Segment {
    private final long[] seqs;
    private int count;

    /** With room for all of the batch. */
    MergedSegment(ByteBufAllocator allocator, String epoch, FrameBatch batch) {
        super(allocator, epoch, batch.firstSeq(), 0, Math.max(batch.bytes(), batch.count() * BYTES_PER_FRAME));
        seqs = new long[batch.count()];
    }

    void append(long seq, byte[] bytes, int offset, int length) {
        seqs[count++] = seq;
        append(bytes, offset, length);
    }

    int count() {
        return count;
    }

    @Override
    long seqOf(int index) {
        return seqs[index];
    }

    FrameBatch whole() {
        return new FrameBatch(this, 0, count);
    }
}
