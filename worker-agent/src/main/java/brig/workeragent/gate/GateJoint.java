package brig.workeragent.gate;

import brig.protocol.Reason;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PongWebSocketFrame;
import io.netty.util.ReferenceCountUtil;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Joins a connection with the input and output of a {@code brig-join}. It reads from the connection only when that has
 * taken all there was, and the other way round, so nothing queues. The end of one is the end of the other.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class GateJoint extends ChannelInboundHandlerAdapter {
    private static final Logger LOG = LoggerFactory.getLogger(GateJoint.class);
    private static final int CHUNK = 32 * 1024;

    private final List<String> command;
    /** Whether the bytes are binary messages of a WebSocket. */
    private final boolean messages;
    /** Writes to the program, in order; a write may block. */
    private final ExecutorService writer =
            Executors.newSingleThreadExecutor(Thread.ofVirtual().factory());

    private @Nullable Process program;

    GateJoint(List<String> command, boolean messages) {
        this.command = command;
        this.messages = messages;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        Channel channel = context.channel();
        channel.config().setAutoRead(false);
        try {
            Process started = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            program = started;
            Thread.startVirtualThread(() -> send(started, channel));
        } catch (IOException e) {
            LOG.error("the far end of a link does not start: {}", Reason.of(e));
            channel.close();
        }
        // What came with the request may be on its way through the pipeline already; more is asked for after it.
        channel.eventLoop().execute(context::read);
    }

    /** To the gateway. */
    private void send(Process from, Channel channel) {
        byte[] chunk = new byte[CHUNK];
        try (InputStream output = from.getInputStream()) {
            for (int read = output.read(chunk); read >= 0; read = output.read(chunk)) {
                ByteBuf bytes = Unpooled.wrappedBuffer(Arrays.copyOf(chunk, read));
                channel.writeAndFlush(messages ? new BinaryWebSocketFrame(bytes) : bytes)
                        .sync();
            }
        } catch (IOException e) {
            LOG.debug("the far end of a link broke: {}", Reason.of(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            channel.close();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        switch (message) {
            case PingWebSocketFrame ping -> {
                context.writeAndFlush(new PongWebSocketFrame(ping.content()));
            }
            case BinaryWebSocketFrame binary -> take(context, binary.content());
            case ContinuationWebSocketFrame more -> take(context, more.content());
            case ByteBuf bytes when !messages -> take(context, bytes);
            case PongWebSocketFrame pong -> pong.release();
            case CloseWebSocketFrame end -> {
                end.release();
                context.close();
            }
            default -> {
                ReferenceCountUtil.release(message);
                LOG.debug("the gate was sent what is no part of a link");
                context.close();
            }
        }
    }

    private void take(ChannelHandlerContext context, ByteBuf arrived) {
        byte[] bytes = new byte[arrived.readableBytes()];
        arrived.readBytes(bytes).release();
        writer.execute(() -> write(context, bytes));
    }

    private void write(ChannelHandlerContext context, byte[] bytes) {
        Process to = program;
        if (to == null) {
            return;
        }
        try {
            OutputStream input = to.getOutputStream();
            input.write(bytes);
            input.flush();
        } catch (IOException e) {
            LOG.debug("the far end of a link took nothing: {}", Reason.of(e));
            context.close();
        }
    }

    /** After all that was read has been written, more is read. */
    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        writer.execute(() -> context.channel().eventLoop().execute(context::read));
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext context) {
        end();
    }

    @Override
    public void channelInactive(ChannelHandlerContext context) {
        end();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable failure) {
        LOG.debug("a link failed: {}", failure.toString());
        context.close();
    }

    private void end() {
        writer.shutdown();
        if (program != null) {
            program.destroy();
        }
    }
}
