package brig.gateway.connection;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.internal.net.NetSocketInternal;
import io.vertx.core.net.NetSocket;

/**
 * Passes bytes between a client and a server of an agent, no faster than either takes them, until both have ended. What
 * one of them ends is ended towards the other; what breaks is closed. State owned by the event loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
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
     * Joins them for the rest of their lives.
     *
     * @param server one that is not read yet
     */
    public static void join(NetSocket client, Channel server) {
        ByteRelay relay = new ByteRelay((NetSocketInternal) client, server);
        relay.begin();
    }

    private void begin() {
        clientChannel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        server.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        server.pipeline().addLast(this);
        // Held back below Vert.x, which would keep what came before and tell of the end first.
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

    /** Nothing more goes there; where nothing comes from there either, it is over. */
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
