package brig.egress.connection;

import brig.protocol.channel.HalfClosure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.timeout.IdleStateEvent;
import io.netty.handler.timeout.IdleStateHandler;
import io.netty.util.ReferenceCountUtil;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;

/** Forwards bytes from one connection to another, with backpressure. */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class Relay extends ChannelInboundHandlerAdapter {
    private final Channel other;
    private final LongConsumer count;

    private Relay(Channel other, LongConsumer count) {
        this.other = other;
        this.count = count;
    }

    /** Joins two plain connections for the rest of their lives, without an idle timeout. */
    public static void join(Channel one, Channel other) {
        HalfClosure.allow(one);
        HalfClosure.allow(other);
        one.pipeline().addLast(new Relay(other, bytes -> {}));
        other.pipeline().addLast(new Relay(one, bytes -> {}));
    }

    /** Joins two connections for the rest of their lives. */
    public static void join(
            Channel inside, Channel outside, ProxyLimits limits, LongConsumer sent, LongConsumer received) {
        for (Channel channel : new Channel[] {inside, outside}) {
            if (channel.pipeline().get(SslHandler.class) == null) {
                HalfClosure.allow(channel);
            }
        }
        inside.pipeline().addLast(new IdleStateHandler(0, 0, limits.tunnelIdleMs(), TimeUnit.MILLISECONDS));
        inside.pipeline().addLast(new Relay(outside, sent));
        outside.pipeline().addLast(new Relay(inside, received));
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes && other.isActive()) {
            count.accept(bytes.readableBytes());
            other.write(bytes);
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
        if (event instanceof ChannelInputShutdownEvent && other.pipeline().get(SslHandler.class) == null) {
            other.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(unused -> {
                if (other instanceof DuplexChannel duplex && other.isActive()) {
                    duplex.shutdownOutput();
                    if (duplex.isInputShutdown()) {
                        other.close();
                    }
                }
                if (ctx.channel() instanceof DuplexChannel own && own.isOutputShutdown()) {
                    own.close();
                }
            });
        } else if (event instanceof ChannelInputShutdownEvent || event instanceof IdleStateEvent) {
            ctx.close();
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
