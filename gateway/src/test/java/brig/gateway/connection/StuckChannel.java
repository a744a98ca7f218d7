package brig.gateway.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DuplexChannel;
import java.nio.charset.StandardCharsets;

/** A connection whose peer takes only as many bytes as it is told to. */
final class StuckChannel extends EmbeddedChannel implements DuplexChannel {
    private final StringBuilder taken = new StringBuilder();
    private long room;
    private boolean outputShutdown;

    /** The peer takes so many bytes more. */
    void take(long bytes) {
        room += bytes;
        unsafe().flush();
        runPendingTasks();
    }

    /** All that the peer took. */
    String taken() {
        return taken.toString();
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer queue) {
        while (queue.current() instanceof ByteBuf bytes && (room > 0 || !bytes.isReadable())) {
            int count = (int) Math.min(room, bytes.readableBytes());
            taken.append(bytes.toString(bytes.readerIndex(), count, StandardCharsets.ISO_8859_1));
            room -= count;
            queue.removeBytes(count);
            if (count == 0) {
                queue.remove();
            }
        }
    }

    @Override
    public boolean isInputShutdown() {
        return false;
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown;
    }

    @Override
    public boolean isShutdown() {
        return false;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        outputShutdown = true;
        return promise.setSuccess();
    }

    @Override
    public ChannelFuture shutdownInput() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown() {
        throw new UnsupportedOperationException();
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        throw new UnsupportedOperationException();
    }
}
