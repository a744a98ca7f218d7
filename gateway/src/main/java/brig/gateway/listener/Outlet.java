package brig.gateway.listener;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.Framing;
import brig.gateway.time.Timers;
import brig.protocol.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writing side of a connection, below Vert.x: frames go to the channel as the bytes that they are, and one flush
 * sends what a turn of the loop collected. What waits in the channel is bounded by its high-water mark; a writer looks at
 * {@link #isWritable} first, and is called again when half of it has gone out. A peer that does not take that half within
 * {@code stallMs} is cut: it can resume where it was, and meanwhile costs neither memory nor a worker that waits for it.
 *
 * <p>State owned by the event loop.
 */
final class Outlet {
    private static final Logger log = LoggerFactory.getLogger(Outlet.class);

    private static final int ONE_PIECE_BYTES_MAX = 4 * 1024;

    private final Channel channel;
    /** The place behind all handlers, just before the socket. */
    private final ChannelHandlerContext socket;
    private final Timers timers;
    private final long stallMs;
    private final List<Runnable> waiting = new ArrayList<>();
    private Timers.@Nullable Timer stall;

    Outlet(Channel channel, int queueBytesMax, Timers timers, long stallMs) {
        this.channel = channel;
        this.timers = timers;
        this.stallMs = stallMs;
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(queueBytesMax / 2, queueBytesMax));
        ChannelHandler first = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                context.fireChannelWritabilityChanged();
                handleWritability();
            }
        };
        channel.pipeline().addFirst(first);
        socket = channel.pipeline().context(first);
    }

    private void handleWritability() {
        if (stall != null) {
            stall.cancel();
            stall = null;
        }
        if (channel.isWritable()) {
            List.copyOf(waiting).forEach(Runnable::run);
        } else if (channel.isOpen()) {
            stall = timers.after(stallMs, this::handleStall);
        }
    }

    private void handleStall() {
        log.info("{} a connection took nothing for {} ms and is cut", ErrorCode.SLOW_READER, stallMs);
        // Not from the pipeline's end: there Vert.x waits for what is queued to go out first, which it does not.
        var _ = socket.close();
    }

    /** The reader to call when the connection is writable again. */
    void add(Runnable drain) {
        waiting.add(drain);
    }

    void remove(Runnable drain) {
        waiting.remove(drain);
    }

    boolean isWritable() {
        return channel.isWritable();
    }

    /**
     * Queues frames, past all encoders. A small batch is one piece, which all readers share: one system call with one
     * address. A large one is not copied.
     */
    void write(FrameBatch batch, Framing framing) {
        ByteBuf body = batch.body(framing);
        if (body.readableBytes() <= ONE_PIECE_BYTES_MAX) {
            body.release();
            writeBytes(batch.framed(framing));
        } else {
            write(Unpooled.EMPTY_BUFFER, body, framing);
        }
    }

    /** Queues a message of two parts, past all encoders, and takes them over. */
    void write(ByteBuf first, ByteBuf rest, Framing framing) {
        ByteBuf head = channel.alloc().directBuffer(framing.bytesMax() + first.readableBytes());
        framing.writeHead(head, first.readableBytes() + rest.readableBytes());
        head.writeBytes(first);
        first.release();
        writeBytes(head);
        writeBytes(rest);
        ByteBuf tail = channel.alloc().directBuffer(framing.bytesMax());
        framing.writeTail(tail);
        writeBytes(tail);
    }

    /** Queues bytes as they are, and takes them over. */
    void writeBytes(ByteBuf bytes) {
        if (bytes.isReadable()) {
            var _ = socket.write(bytes, channel.voidPromise());
        } else {
            bytes.release();
        }
    }

    void flush() {
        var _ = socket.flush();
    }

    /** Closes when everything that was written has gone out, and that message after it. */
    void finish(Object lastMessage) {
        var _ = channel.writeAndFlush(lastMessage).addListener(ChannelFutureListener.CLOSE);
    }

    /** Closes when everything that was written has gone out. */
    void finish() {
        finish(Unpooled.EMPTY_BUFFER);
    }
}
