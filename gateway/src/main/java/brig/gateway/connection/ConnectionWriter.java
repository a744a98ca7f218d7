package brig.gateway.connection;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.Framing;
import brig.gateway.telemetry.Counters;
import brig.gateway.time.Timers;
import brig.protocol.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writing side of a connection, below Vert.x. Frames are written as bytes, and one flush sends all that one
 * iteration of the event loop collected. The channel's queue is bounded by its high-water mark: a writer checks {@link
 * #isWritable} first and is called again when half of the queue has drained.
 *
 * <p>A peer that does not take that half within {@code slowReaderMs} is detached: its subscriptions release their
 * streams, so that it no longer holds a worker back, and the last message says where to resume. Earlier queued data are
 * whole frames and nothing follows that message, so a peer that reads on finds frames, the reason, the end. It has
 * {@code slowReaderMs} more for that, then the connection is closed. Until then it costs its queue, afterwards nothing.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0029.
 */
public final class ConnectionWriter {
    /** A user of the connection. */
    public interface Writer {
        /** There is room again. */
        void drain();

        /** The connection ends for that reason: release the stream and say where to resume. */
        void leave(ErrorCode why);
    }

    /** The size of the queue, and how long a peer may take less than half of it. */
    public record Bounds(int writeQueueBytes, long slowReaderMs) {}

    private static final Logger log = LoggerFactory.getLogger(ConnectionWriter.class);

    private static final int ONE_PIECE_BYTES_MAX = 4 * 1024;
    /** Allowance above the queue's limit, for the last batch and some answers. */
    private static final int ON_TOP_BYTES_MAX = 64 * 1024;

    private final Channel channel;
    /** The context after all handlers, just before the socket. */
    private final ChannelHandlerContext socket;

    private final Timers timers;
    private final Bounds bounds;
    private final Counters counters;
    /** The last message of the protocol. */
    private final Function<ErrorCode, ?> lastMessage;

    private final List<Writer> writers = new ArrayList<>();
    private Timers.@Nullable Timer stall;
    /** The last message was written: nothing may follow. */
    private boolean finished;
    /** Reading from the peer is paused. */
    private boolean deaf;

    public ConnectionWriter(
            Channel channel, Bounds bounds, Timers timers, Counters counters, Function<ErrorCode, ?> lastMessage) {
        this.channel = channel;
        this.bounds = bounds;
        this.counters = counters;
        this.timers = timers;
        this.lastMessage = lastMessage;
        int queueBytesMax = bounds.writeQueueBytes();
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(queueBytesMax / 2, queueBytesMax));
        ChannelHandler first = new ChannelInboundHandlerAdapter() {
            @Override
            public void channelRead(ChannelHandlerContext context, Object message) {
                if (finished) {
                    ReferenceCountUtil.release(message);
                } else {
                    context.fireChannelRead(message);
                    handleHeard();
                }
            }

            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                context.fireChannelWritabilityChanged();
                handleWritability();
            }
        };
        channel.pipeline().addFirst(first);
        socket = channel.pipeline().context(first);
    }

    /** Pauses reading from a peer that sends requests without reading the answers, so that these do not pile up. */
    private void handleHeard() {
        if (channel.bytesBeforeWritable() > bounds.writeQueueBytes() + ON_TOP_BYTES_MAX) {
            channel.config().setAutoRead(false);
            deaf = true;
        }
    }

    private void hearAgain() {
        if (deaf) {
            deaf = false;
            channel.config().setAutoRead(true);
        }
    }

    private void handleWritability() {
        if (stall != null) {
            stall.cancel();
            stall = null;
        }
        if (channel.isWritable()) {
            hearAgain();
            List.copyOf(writers).forEach(Writer::drain);
        } else if (channel.isOpen()) {
            stall = timers.after(bounds.slowReaderMs(), this::handleStall);
        }
    }

    private void handleStall() {
        if (!finished) {
            log.info(
                    "{} a connection took too little for {} ms and is left",
                    ErrorCode.SLOW_READER,
                    bounds.slowReaderMs());
            counters.handleSlowClose();
            var _ = leave(ErrorCode.SLOW_READER);
        }
    }

    /** Ends the connection for that reason, after the queued data. @return done when all of that was sent */
    public ChannelFuture leave(ErrorCode why) {
        if (finished) {
            return channel.closeFuture();
        }
        List.copyOf(writers).forEach(writer -> writer.leave(why));
        // Half-close only: on a full close with unread input, the kernel would drop unsent data.
        return last(lastMessage.apply(why)).addListener(written -> {
            var _ = ((DuplexChannel) channel).shutdownOutput();
        });
    }

    public void add(Writer writer) {
        writers.add(writer);
    }

    public void remove(Writer writer) {
        writers.remove(writer);
    }

    /** Bytes written that the peer has not taken. */
    public long queuedBytes() {
        ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
        return queue == null ? 0 : queue.totalPendingWriteBytes();
    }

    /** Whether the queue is full. */
    public boolean isFull() {
        return !channel.isWritable();
    }

    boolean isWritable() {
        return !finished && channel.isWritable();
    }

    /** Whether the last message was written. Later input of the peer is ignored. */
    public boolean isFinished() {
        return finished;
    }

    /**
     * Queues frames, bypassing all encoders. A small batch is one buffer that all subscribers share: one system call
     * with one address. A large one is not copied.
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

    /** Queues a message of two parts, bypassing all encoders; takes ownership. */
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

    /** Queues bytes unchanged; takes ownership. */
    void writeBytes(ByteBuf bytes) {
        if (bytes.isReadable() && !finished) {
            var _ = socket.write(bytes, channel.voidPromise());
        } else {
            bytes.release();
        }
    }

    void flush() {
        var _ = socket.flush();
    }

    /** Closes when all queued data, and then that message, were sent. */
    public void finish(Object message) {
        var _ = last(message).addListener(ChannelFutureListener.CLOSE);
    }

    /** Writes the last message. The peer has {@code slowReaderMs} to take it. */
    private ChannelFuture last(Object message) {
        finished = true;
        hearAgain();
        Timers.Timer deadline = timers.after(bounds.slowReaderMs(), this::cut);
        var _ = channel.closeFuture().addListener(closed -> deadline.cancel());
        return channel.writeAndFlush(message);
    }

    /** Closes immediately, dropping queued data. */
    public void cut() {
        // Bypasses the pipeline: Vert.x would wait for queued data to be sent, which never happens.
        var _ = socket.close();
    }

    /** Closes when all queued data were sent. */
    public void finish() {
        finish(Unpooled.EMPTY_BUFFER);
    }
}
