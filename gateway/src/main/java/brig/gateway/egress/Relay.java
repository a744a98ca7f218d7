package brig.gateway.egress;

import brig.protocol.channel.HalfClosure;
import brig.protocol.channel.Turns;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;

/**
 * Passes bytes from one connection to another. While the other cannot be written, this one is not read. The end of a
 * stream is passed on; when both ended, or one broke, both are closed.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class Relay extends ChannelInboundHandlerAdapter {
    private final Channel other;

    private Relay(Channel other) {
        this.other = other;
    }

    /** Joins two connections for the rest of their lives. Reading is still off afterwards. */
    static void join(Channel one, Channel other) {
        HalfClosure.allow(one);
        HalfClosure.allow(other);
        Turns.readOnce(one);
        Turns.readOnce(other);
        one.pipeline().addLast(new Relay(other));
        other.pipeline().addLast(new Relay(one));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (other.isActive()) {
            other.write(message);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        other.flush();
        ctx.channel().config().setAutoRead(other.isWritable());
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        other.config().setAutoRead(ctx.channel().isWritable());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(written -> endOutput(ctx.channel()));
        }
    }

    private void endOutput(Channel ended) {
        if (other instanceof DuplexChannel to && other.isActive()) {
            to.shutdownOutput();
            if (to.isInputShutdown()) {
                other.close();
            }
        }
        if (ended instanceof DuplexChannel from && from.isOutputShutdown()) {
            ended.close();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
