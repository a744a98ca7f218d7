package brig.egress.proxy;

import brig.egress.budget.WorkerBudget;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelDuplexHandler;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelPromise;
import io.netty.util.ReferenceCountUtil;

/**
 * Charges the bytes of a worker's connections to its budget, in slices; without room the connection is closed. State owned
 * by the worker's event loop.
 */
@Sharable
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class ByteMeter extends ChannelDuplexHandler {
    private static final long SLICE_BYTES = 64 * 1024;

    private final WorkerBudget budget;
    private long left;

    ByteMeter(WorkerBudget budget) {
        this.budget = budget;
    }

    private boolean takes(Object message) {
        long bytes = message instanceof ByteBuf content ? content.readableBytes() : 0;
        if (bytes > left) {
            long lacking = bytes - left;
            if (lacking < SLICE_BYTES && budget.hasRoom(SLICE_BYTES) && budget.use(SLICE_BYTES)) {
                left += SLICE_BYTES;
            } else if (budget.use(lacking)) {
                left += lacking;
            } else {
                return false;
            }
        }
        left -= bytes;
        return true;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (takes(message)) {
            ctx.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message);
            ctx.close();
        }
    }

    @Override
    public void write(ChannelHandlerContext ctx, Object message, ChannelPromise promise) {
        if (takes(message)) {
            ctx.write(message, promise);
        } else {
            ReferenceCountUtil.release(message);
            ctx.close(promise);
        }
    }
}
