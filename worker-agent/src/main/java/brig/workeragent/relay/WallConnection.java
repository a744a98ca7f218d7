package brig.workeragent.relay;

import brig.protocol.channel.HalfClosure;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection with a program behind a wall, for virtual threads. Netty serves it, since it comes out of the wall as a
 * descriptor, which the JDK cannot take. It is read only when a thread wants bytes.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failing channel closes, which its handler sees.
public final class WallConnection extends ChannelInboundHandlerAdapter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(WallConnection.class);
    private static final int READ_BYTES_MAX = 64 * 1024;

    private final EpollSocketChannel channel;
    /** What came and nobody took yet: read only when that is nothing. An empty buffer stands for the end. */
    private final BlockingQueue<ByteBuf> waiting = new LinkedBlockingQueue<>();

    /** @param channel not yet registered with an event loop */
    public WallConnection(EpollSocketChannel channel) {
        this.channel = channel;
        channel.config().setAutoRead(false);
        channel.pipeline().addLast(this);
    }

    EpollSocketChannel channel() {
        return channel;
    }

    /**
     * Passes bytes both ways until both sides have ended.
     *
     * @param before what the gateway already sent
     */
    public void forward(SocketChannel gateway, ByteBuffer before) throws InterruptedException {
        Thread back = Thread.ofVirtual().name("wall-back").start(() -> receive(gateway));
        send(gateway, before);
        back.join();
    }

    /** Passes the gateway's bytes on until it ends; then the program sees the end. */
    private void send(SocketChannel gateway, ByteBuffer before) throws InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES_MAX);
        try {
            if (before.hasRemaining()) {
                channel.writeAndFlush(Unpooled.copiedBuffer(before)).sync();
            }
            while (gateway.read(buffer) >= 0) {
                channel.writeAndFlush(Unpooled.copiedBuffer(buffer.flip())).sync();
                buffer.clear();
            }
            channel.shutdownOutput().await();
        } catch (IOException e) {
            LOG.debug("a connection with a wall ended: {}", e.toString());
            channel.close();
        }
    }

    /** Passes the program's bytes back until it ends; then the gateway sees the end. */
    private void receive(SocketChannel gateway) {
        try {
            for (ByteBuf bytes = next(); bytes.isReadable(); bytes = next()) {
                try {
                    Lines.write(gateway, bytes.nioBuffers());
                } finally {
                    bytes.release();
                }
            }
            gateway.shutdownOutput();
        } catch (IOException e) {
            LOG.debug("a connection with a wall ended: {}", e.toString());
            Lines.close(gateway);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private ByteBuf next() throws InterruptedException {
        ByteBuf first = waiting.poll();
        if (first == null) {
            channel.read();
            first = waiting.take();
        }
        return first;
    }

    /** Writes an answer of Brig's own, then reads what the program still sends, until it ends or the deadline passes. */
    void answer(byte[] text, long drainMs) throws InterruptedException {
        channel.writeAndFlush(Unpooled.wrappedBuffer(text)).await();
        channel.shutdownOutput().await();
        // Closing earlier would take the answer away from a program that still writes.
        channel.eventLoop().schedule(() -> channel.close(), drainMs, TimeUnit.MILLISECONDS);
        for (ByteBuf bytes = next(); bytes.isReadable(); bytes = next()) {
            bytes.release();
        }
    }

    @Override
    public void channelRegistered(ChannelHandlerContext ctx) {
        HalfClosure.allow(channel);
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        waiting.add((ByteBuf) message);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            waiting.add(Unpooled.EMPTY_BUFFER);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        waiting.add(Unpooled.EMPTY_BUFFER);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        LOG.debug("a connection with a wall went: {}", cause.toString());
        ctx.close();
    }

    @Override
    public void close() {
        channel.close().awaitUninterruptibly();
        for (ByteBuf left = waiting.poll(); left != null; left = waiting.poll()) {
            left.release();
        }
    }
}
