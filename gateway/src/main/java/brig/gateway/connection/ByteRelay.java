package brig.gateway.connection;

import brig.protocol.channel.HalfClosure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;

/**
 * A byte relay between a client and a server of an agent, with backpressure both ways, until both have ended. Each
 * side's end of stream is passed on; a broken side closes both. Owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failing channel closes, which its handlers see.
public final class ByteRelay extends ChannelInboundHandlerAdapter {
    private final NetSocketInternal client;
    private final Channel clientChannel;
    private final Channel server;

    private ByteRelay(NetSocketInternal client, Channel server) {
        this.client = client;
        this.clientChannel = client.channelHandlerContext().channel();
        this.server = server;
    }

    /**
     * Connects the two until their end.
     *
     * @param server not being read yet
     */
    public static void join(NetSocket client, Channel server) {
        ByteRelay relay = new ByteRelay((NetSocketInternal) client, server);
        relay.begin();
    }

    private void begin() {
        HalfClosure.allow(clientChannel);
        HalfClosure.allow(server);
        server.pipeline().addLast(this);
        // Paused at the Netty level: Vert.x would keep earlier bytes and report the end first.
        client.handler(bytes -> {
            server.writeAndFlush(Unpooled.wrappedBuffer(bytes.getBytes()));
            clientChannel.config().setAutoRead(server.isWritable());
        });
        client.eventHandler(event -> {
            if (event instanceof ChannelInputShutdownEvent) {
                server.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> endOutput(server, clientChannel));
            }
        });
        client.exceptionHandler(failure -> server.close());
        clientChannel.closeFuture().addListener(closed -> server.close());
        server.closeFuture().addListener(closed -> client.close());
        server.config().setAutoRead(true);
        clientChannel.config().setAutoRead(server.isWritable());
    }

    /** Ends the output; if the other direction has ended too, closes. */
    private static void endOutput(Channel to, Channel from) {
        if (to.isActive() && to instanceof DuplexChannel duplex) {
            duplex.shutdownOutput();
            if (duplex.isInputShutdown() && from instanceof DuplexChannel other && other.isInputShutdown()) {
                to.close();
            }
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (message instanceof ByteBuf bytes) {
            var _ = client.write(Buffer.buffer(ByteBufUtil.getBytes(bytes)));
        }
        ReferenceCountUtil.release(message);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (client.writeQueueFull()) {
            server.config().setAutoRead(false);
            client.drainHandler(drained -> server.config().setAutoRead(true));
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        clientChannel.config().setAutoRead(server.isWritable());
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            client.write(Buffer.buffer()).onComplete(sent -> endOutput(clientChannel, server));
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        ctx.close();
    }
}
