package brig.gateway.egress;

import brig.gateway.time.Timers;
import brig.gateway.worker.Reach;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.EgressStream;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.PortAnswer;
import brig.protocol.json.Json;
import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.ByteToMessageDecoder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connections to the worker-agent of one host that wait there for those of its walls. The worker-agent says in the first
 * line what a connection is; it is believed only as far as {@link Claims} does. Then the connection is joined with one to
 * the worker-agent at home. Owned by the event loop.
 *
 * <p>Decision 0160.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
public final class WallStreams implements AutoCloseable {
    /** Judges what a host says about a connection. */
    public interface Claims {
        /** Why a connection for that worker is refused; null if it is on that host, and served at home. */
        @Nullable
        String refusal(String spawnId);
    }

    /**
     * Where connections lead.
     *
     * @param host the name of the host
     * @param far its worker-agent
     * @param reach whether that can be reached
     * @param home the worker-agent of this host
     */
    public record Ends(String host, DomainSocketAddress far, Reach reach, DomainSocketAddress home) {}

    private static final Logger log = LoggerFactory.getLogger(WallStreams.class);
    private static final int LINE_BYTES_MAX = 1024;
    private static final int JOINED_MAX = 2048;
    /** How soon a connection that was lost is replaced. */
    private static final long AGAIN_MS = 250;
    /** How soon one is replaced that was misused: a host cannot keep the gateway busy. */
    private static final long MISUSED_MS = 1_000;

    private final EventLoop loop;
    private final Timers timers;
    private final Ends ends;
    private final Claims claims;
    private final PoolSize size = new PoolSize();
    private final Set<Channel> open = new HashSet<>();
    private int joined;
    private boolean closed;

    public WallStreams(EventLoop loop, Timers timers, Ends ends, Claims claims) {
        this.loop = loop;
        this.timers = timers;
        this.ends = ends;
        this.claims = claims;
    }

    /** Keeps connections waiting, whenever the host can be reached. */
    public void open() {
        for (int missing = size.missing(); missing > 0 && !closed; missing--) {
            dial();
        }
    }

    private void dial() {
        size.add();
        if (!ends.reach().isUp()) {
            handleLost(AGAIN_MS);
            return;
        }
        ChannelFuture dialled = connect(ends.far(), new Waiting());
        dialled.addListener(done -> {
            if (!done.isSuccess()) {
                handleLost(AGAIN_MS);
            }
        });
    }

    private ChannelFuture connect(DomainSocketAddress to, ChannelInboundHandlerAdapter handler) {
        return new Bootstrap()
                .group(loop)
                .channel(EpollDomainSocketChannel.class)
                .option(ChannelOption.AUTO_READ, false)
                .handler(handler)
                .connect(to);
    }

    private void handleLost(long againMs) {
        timers.after(againMs, () -> {
            size.lose();
            open();
        });
    }

    /** Judges the first line of the host. @return what it asks for; @throws BrigException if that cannot be read */
    static EgressStream read(byte[] line) {
        return Json.read(line, EgressStream.class);
    }

    /** A connection up to its first line. */
    private final class Waiting extends ByteToMessageDecoder {
        private boolean taken;

        @Override
        public void channelActive(ChannelHandlerContext ctx) {
            own(ctx.channel());
            LinkPurpose.Egress purpose = new LinkPurpose.Egress(ends.reach().epoch());
            ctx.writeAndFlush(Unpooled.wrappedBuffer(Json.writeLine(purpose)));
            ctx.channel().config().setAutoRead(true);
        }

        @Override
        protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            int length = in.bytesBefore((byte) '\n');
            if (taken || (length < 0 && in.readableBytes() <= LINE_BYTES_MAX)) {
                return;
            }
            taken = true;
            ctx.channel().config().setAutoRead(false);
            try {
                if (length < 0 || length > LINE_BYTES_MAX) {
                    throw new BrigException(ErrorCode.LINE_TOO_LONG, "the first line is too long");
                }
                EgressStream stream = read(ByteBufUtil.getBytes(in, in.readerIndex(), length));
                in.skipBytes(length + 1);
                handleTaken(ctx, this, stream);
            } catch (BrigException e) {
                log.warn("the host {} misuses a connection: {}", ends.host(), e.getMessage());
                in.skipBytes(in.readableBytes());
                refuse(ctx.channel(), e);
                handleLost(MISUSED_MS);
            }
        }

        @Override
        public void channelInactive(ChannelHandlerContext ctx) throws Exception {
            if (!taken) {
                taken = true;
                handleLost(AGAIN_MS);
            }
            super.channelInactive(ctx);
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            ctx.close();
        }
    }

    private void handleTaken(ChannelHandlerContext ctx, Waiting reader, EgressStream stream) {
        if (joined >= JOINED_MAX) {
            throw new BrigException(
                    ErrorCode.MAX_CONNECTIONS, "the host has " + JOINED_MAX + " connections already", 1);
        }
        String refusal = claims.refusal(stream.spawnId());
        if (refusal == null) {
            size.take();
            open();
        } else {
            log.warn("a connection of the host {} is refused spawn_id={}: {}", ends.host(), stream.spawnId(), refusal);
            handleLost(MISUSED_MS);
        }
        Channel wall = ctx.channel();
        joined++;
        wall.closeFuture().addListener(gone -> joined--);
        ChannelFuture home = connect(ends.home(), new ChannelInboundHandlerAdapter());
        home.addListener(done -> {
            if (done.isSuccess() && wall.isActive()) {
                join(wall, reader, home.channel(), new LinkPurpose.Granted(stream, refusal));
            } else if (done.isSuccess()) {
                home.channel().close();
            } else {
                refuse(
                        wall,
                        new BrigException(
                                ErrorCode.WORKER_AGENT_UNAVAILABLE, "the worker-agent at home does not answer", 1));
            }
        });
    }

    private void join(Channel wall, Waiting reader, Channel home, LinkPurpose.Granted granted) {
        own(home);
        home.writeAndFlush(Unpooled.wrappedBuffer(Json.writeLine(granted)));
        Relay.join(wall, home);
        // What came behind the first line goes on to the relay.
        wall.pipeline().remove(reader);
        home.config().setAutoRead(true);
        wall.config().setAutoRead(true);
    }

    private void own(Channel channel) {
        if (closed) {
            channel.close();
            return;
        }
        open.add(channel);
        channel.closeFuture().addListener(gone -> open.remove(channel));
    }

    private static void refuse(Channel wall, BrigException why) {
        byte[] answer = Json.writeLine(PortAnswer.refused(why));
        wall.writeAndFlush(Unpooled.wrappedBuffer(answer)).addListener(ChannelFutureListener.CLOSE);
    }

    /** Ends every connection. */
    @Override
    public void close() {
        closed = true;
        Set.copyOf(open).forEach(Channel::close);
    }
}
