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
 * The writing side of a connection, below Vert.x: frames go to the channel as the bytes that they are, and one flush
 * sends what a turn of the loop collected. What waits in the channel is bounded by its high-water mark; a writer looks
 * at {@link #isWritable} first, and is called again when half of it has gone out.
 *
 * <p>A peer that does not take that half within {@code slowReaderMs} is left: its readers let go of their streams, so
 * that it holds no worker any more, and each says as its last word where to resume. That word stands behind what was
 * queued before, which is whole frames, and nothing follows it; so a peer that reads on later finds frames, the reason,
 * the end. It has {@code slowReaderMs} more for that. Then it is cut: until that moment it cost its queue, and after it
 * nothing.
 *
 * <p>State owned by the event loop.
 *
 * <p>Decision 0029.
 */
public final class ConnectionWriter {
    /** Who writes here. */
    public interface Writer {
        /** There is room again. */
        void drain();

        /** The connection ends for that reason: lets go of the stream, and says where to resume. */
        void leave(ErrorCode why);
    }

    /** How much may wait in a connection, and how long its peer may take less than half of it. */
    public record Bounds(int writeQueueBytes, long slowReaderMs) {}

    private static final Logger log = LoggerFactory.getLogger(ConnectionWriter.class);

    private static final int ONE_PIECE_BYTES_MAX = 4 * 1024;
    /** What may wait beyond the queue's bound, where the last batch and some answers came on top. */
    private static final int ON_TOP_BYTES_MAX = 64 * 1024;

    private final Channel channel;
    /** The place behind all handlers, just before the socket. */
    private final ChannelHandlerContext socket;

    private final Timers timers;
    private final Bounds bounds;
    private final Counters counters;
    /** What the protocol ends with. */
    private final Function<ErrorCode, ?> lastMessage;

    private final List<Writer> writers = new ArrayList<>();
    private Timers.@Nullable Timer stall;
    /** The last message was written: nothing may follow it. */
    private boolean finished;
    /** It does not read from its peer. */
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

    /** A peer that asks and does not read what it is answered is not heard until it does, lest its answers pile up. */
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

    /** Ends it with that reason, behind what is queued. @return done when all of that has gone out */
    public ChannelFuture leave(ErrorCode why) {
        if (finished) {
            return channel.closeFuture();
        }
        List.copyOf(writers).forEach(writer -> writer.leave(why));
        // Half of it only: were it closed with words of the peer unread, the kernel would drop what it did not take
        // yet.
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

    /** Bytes that were written and that the peer has not taken. */
    public long queuedBytes() {
        ChannelOutboundBuffer queue = channel.unsafe().outboundBuffer();
        return queue == null ? 0 : queue.totalPendingWriteBytes();
    }

    /** Whether that is as much as it may be. */
    public boolean isFull() {
        return !channel.isWritable();
    }

    boolean isWritable() {
        return !finished && channel.isWritable();
    }

    /** Whether its last message was written. What the peer says after that counts for nothing. */
    public boolean isFinished() {
        return finished;
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
        if (bytes.isReadable() && !finished) {
            var _ = socket.write(bytes, channel.voidPromise());
        } else {
            bytes.release();
        }
    }

    void flush() {
        var _ = socket.flush();
    }

    /** Closes when everything that was written has gone out, and that message after it. */
    public void finish(Object message) {
        var _ = last(message).addListener(ChannelFutureListener.CLOSE);
    }

    /** Writes what nothing follows. The peer has {@code slowReaderMs} to take it. */
    private ChannelFuture last(Object message) {
        finished = true;
        hearAgain();
        Timers.Timer deadline = timers.after(bounds.slowReaderMs(), this::cut);
        var _ = channel.closeFuture().addListener(closed -> deadline.cancel());
        return channel.writeAndFlush(message);
    }

    /** Closes at once, whatever is queued. */
    public void cut() {
        // Not from the pipeline's end: there Vert.x waits for what is queued to go out first, which it does not.
        var _ = socket.close();
    }

    /** Closes when everything that was written has gone out. */
    public void finish() {
        finish(Unpooled.EMPTY_BUFFER);
    }
}
