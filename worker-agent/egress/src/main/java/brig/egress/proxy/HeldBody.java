package brig.egress.proxy;

import brig.egress.budget.Spending;
import brig.egress.request.Refusal;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.atomic.AtomicLong;

/** The body of a request that is kept until it is whole, within the memory that all workers have for such bodies. */
final class HeldBody {
    /** As long as the requests that providers of models accept. */
    private static final int BYTES_MAX = 32 * 1024 * 1024;

    private final Spending spending;
    private final AtomicLong own;
    private ByteArrayOutputStream bytes;
    private long heldBytes;

    /** @param own what its worker holds */
    HeldBody(Spending spending, AtomicLong own, int expectedBytes) {
        this.spending = spending;
        this.own = own;
        this.bytes = new ByteArrayOutputStream(expectedBytes);
    }

    /** Adds a piece. It may throw a {@link Refusal.RefusedException}. */
    void add(ByteBuf piece) {
        int length = piece.readableBytes();
        if (bytes.size() + length > BYTES_MAX) {
            throw new Refusal(
                            413,
                            "the body is longer than " + BYTES_MAX + " bytes, the most that a"
                                    + " request may have which is read whole, for a budget or a signature",
                            "")
                    .asException();
        }
        if (!spending.hold(own, length)) {
            throw new Refusal(503, "too many long requests wait; try again", "").asException();
        }
        heldBytes += length;
        bytes.writeBytes(ByteBufUtil.getBytes(piece));
    }

    /** The whole body. */
    byte[] take() {
        byte[] whole = bytes.toByteArray();
        bytes = new ByteArrayOutputStream(0);
        return whole;
    }

    /** Gives the memory back. */
    void release() {
        spending.release(own, heldBytes);
        heldBytes = 0;
    }
}
