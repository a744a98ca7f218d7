package brig.gateway.egress;

import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.EgressHappened;
import brig.protocol.control.LinkPurpose;
import brig.protocol.json.Json;
import brig.protocol.wire.LineDecoder;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.EventLoop;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears from the worker-agent at home what happens to the networks that it serves for other hosts. Owned by the event
 * loop.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class HomeEvents implements AutoCloseable, LineDecoder.Sink {
    private static final Logger log = LoggerFactory.getLogger(HomeEvents.class);
    private static final int LINE_BYTES_MAX = 64 * 1024;
    private static final long AGAIN_MS = 250;

    private final EventLoop loop;
    private final Timers timers;
    private final DomainSocketAddress home;
    private final Consumer<EgressHappened> sink;
    private @Nullable Channel channel;
    private boolean closed;

    /** @param sink receives each event */
    public HomeEvents(EventLoop loop, Timers timers, DomainSocketAddress home, Consumer<EgressHappened> sink) {
        this.loop = loop;
        this.timers = timers;
        this.home = home;
        this.sink = sink;
    }

    /** Connects, and stays connected. */
    public void open() {
        if (closed) {
            return;
        }
        new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                .handler(new Reader())
                .connect(home)
                .addListener(done -> {
                    if (!done.isSuccess()) {
                        timers.after(AGAIN_MS, this::open);
                    }
                });
    }

    private final class Reader extends SimpleChannelInboundHandler<ByteBuf> {
        private final LineDecoder lines = new LineDecoder(LINE_BYTES_MAX, HomeEvents.this);

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            channel = ctx.channel();
            ctx.writeAndFlush(Unpooled.wrappedBuffer(Json.writeLine(new LinkPurpose.EgressEvents())));
        }

        @Override
        protected void channelRead0(ChannelHandlerContext ctx, ByteBuf message) {
            byte[] bytes = ByteBufUtil.getBytes(message);
            lines.decode(bytes, 0, bytes.length);
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) {
            timers.after(AGAIN_MS, HomeEvents.this::open);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    @Override
    public void handleLine(byte[] bytes, int offset, int length) {
        try {
            sink.accept(Json.read(bytes, offset, length, EgressHappened.class));
        } catch (BrigException e) {
            log.warn("an event of brig-egress cannot be read: {}", e.getMessage());
        }
    }

    @Override
    public void handleBadLine(ErrorCode code) {
        log.warn("an event of brig-egress is refused with {}", code);
    }

    @Override
    public void close() {
        closed = true;
        if (channel != null) {
            channel.close();
        }
    }
}
