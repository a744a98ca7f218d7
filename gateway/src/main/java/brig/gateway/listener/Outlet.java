package brig.gateway.listener;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.WriteBufferWaterMark;
import java.util.ArrayList;
import java.util.List;

/**
 * The writing side of a connection, below Vert.x: frames go to the channel as the bytes that they are, and one flush
 * sends what a turn of the loop collected. What waits in the channel is bounded by its high-water mark; a writer looks at
 * {@link #isWritable} first, and is called again when half of it has gone out.
 *
 * <p>State owned by the event loop.
 */
final class Outlet {
    private final Channel channel;
    private final List<Runnable> waiting = new ArrayList<>();

    Outlet(Channel channel, int queueBytesMax) {
        this.channel = channel;
        channel.config().setWriteBufferWaterMark(new WriteBufferWaterMark(queueBytesMax / 2, queueBytesMax));
        channel.pipeline().addFirst(new ChannelInboundHandlerAdapter() {
            @Override
            public void channelWritabilityChanged(ChannelHandlerContext context) {
                context.fireChannelWritabilityChanged();
                if (channel.isWritable()) {
                    List.copyOf(waiting).forEach(Runnable::run);
                }
            }
        });
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

    /** Queues a message, bytes or a Netty message of the connection's protocol, which it takes over. */
    void write(Object message) {
        var _ = channel.write(message, channel.voidPromise());
    }

    void flush() {
        channel.flush();
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
