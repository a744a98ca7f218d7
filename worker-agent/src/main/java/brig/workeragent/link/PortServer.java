package brig.workeragent.link;

import brig.egress.connection.Relay;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.PortAnswer;
import brig.protocol.control.PortCall;
import brig.protocol.json.Json;
import brig.workeragent.worker.Workers;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Connects gateways to servers that agents run inside their walls: the first line of a connection names a worker and a
 * port, then it is relayed. The gateway authorizes clients; this socket admits only its user and root.
 *
 * <p>Decision 0048.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failing channel closes, which its handlers see.
public final class PortServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(PortServer.class);
    private static final int HEAD_BYTES_MAX = 1024;
    private static final long HEAD_MS = 5_000;

    private final Path path;
    private final Peers peers;
    private final Workers workers;
    private final int connectionsMax;
    private final EventLoopGroup loop;
    /** By spawn; owned by the event loop. */
    private final Map<String, Integer> connections = new HashMap<>();

    private PortServer(RuntimeFolder folder, Workers workers, int connectionsMax, EventLoopGroup loop) {
        this.path = folder.portsSocket();
        this.peers = folder.peers();
        this.workers = workers;
        this.connectionsMax = connectionsMax;
        this.loop = loop;
    }

    /** @param connectionsMax concurrent connections to servers of one worker */
    public static PortServer open(RuntimeFolder folder, Workers workers, int connectionsMax) throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("brig-ports", true), EpollIoHandler.newFactory());
        PortServer server = new PortServer(folder, workers, connectionsMax, loop);
        Path path = server.path;
        // The folder's lock makes it ours alone: an existing file was left by a killed process.
        Files.deleteIfExists(path);
        var bound = new ServerBootstrap()
                .group(loop)
                .channel(EpollServerDomainSocketChannel.class)
                .childHandler(new ChannelInitializer<Channel>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(server.new Head());
                    }
                })
                .bind(new DomainSocketAddress(path.toString()))
                .awaitUninterruptibly();
        if (!bound.isSuccess()) {
            loop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
            throw new IOException("cannot listen on " + path, bound.cause());
        }
        server.peers.admit(path);
        return server;
    }

    /** Reads the first line of a connection. */
    private final class Head extends ByteToMessageDecoder {
        private boolean asked;

        @Override
        public void channelActive(ChannelHandlerContext ctx) throws IOException {
            int uid =
                    ((EpollDomainSocketChannel) ctx.channel()).peerCredentials().uid();
            if (!peers.isTrusted(uid)) {
                LOG.warn("refused a peer of another user socket={}", path);
                ctx.close();
            }
            ctx.executor()
                    .schedule(
                            () -> {
                                if (!asked) {
                                    ctx.close();
                                }
                            },
                            HEAD_MS,
                            TimeUnit.MILLISECONDS);
        }

        @Override
        protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
            int length = in.bytesBefore((byte) '\n');
            if (asked) {
                return;
            }
            try {
                if (length > HEAD_BYTES_MAX || (length < 0 && in.readableBytes() > HEAD_BYTES_MAX)) {
                    throw new BrigException(ErrorCode.LINE_TOO_LONG, "the first line is too long");
                }
                if (length >= 0) {
                    asked = true;
                    ctx.channel().config().setAutoRead(false);
                    byte[] line = ByteBufUtil.getBytes(in, in.readerIndex(), length);
                    in.skipBytes(length + 1);
                    dial(ctx, Json.read(line, PortCall.class));
                }
            } catch (BrigException e) {
                in.skipBytes(in.readableBytes());
                refuse(ctx.channel(), e);
            }
        }

        private void dial(ChannelHandlerContext ctx, PortCall call) {
            take(call.spawnId(), ctx.channel());
            workers.find(call.spawnId())
                    .dial(call.port())
                    .whenComplete((descriptor, failure) -> ctx.executor().execute(() -> {
                        if (descriptor == null) {
                            refuse(ctx.channel(), refusal(failure));
                        } else {
                            join(ctx, new EpollSocketChannel(descriptor));
                        }
                    }));
        }

        private void join(ChannelHandlerContext ctx, Channel inside) {
            Channel outside = ctx.channel();
            inside.config().setAutoRead(false);
            loop.register(inside).addListener(registered -> {
                if (!registered.isSuccess() || !outside.isActive()) {
                    inside.close();
                    outside.close();
                    return;
                }
                Relay.join(outside, inside);
                outside.writeAndFlush(Unpooled.wrappedBuffer(Json.writeLine(PortAnswer.CONNECTED)));
                // Bytes after the first line go to the relay.
                ctx.pipeline().remove(this);
                outside.config().setAutoRead(true);
                inside.config().setAutoRead(true);
            });
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
            LOG.debug("a connection to a port failed: {}", cause.toString());
            ctx.close();
        }
    }

    private void take(String spawnId, Channel channel) {
        int count = connections.getOrDefault(spawnId, 0);
        if (count >= connectionsMax) {
            throw new BrigException(
                    ErrorCode.MAX_CONNECTIONS, "worker.portConnectionsMax (" + connectionsMax + ") is reached", 1);
        }
        connections.put(spawnId, count + 1);
        channel.closeFuture()
                .addListener(
                        unused -> connections.computeIfPresent(spawnId, (id, open) -> open == 1 ? null : open - 1));
    }

    private static BrigException refusal(Throwable failure) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
        return cause instanceof BrigException refusal
                ? refusal
                : new BrigException(ErrorCode.INTERNAL, "cannot connect: " + cause);
    }

    private static void refuse(Channel channel, BrigException refusal) {
        channel.writeAndFlush(Unpooled.wrappedBuffer(Json.writeLine(PortAnswer.refused(refusal))))
                .addListener(ChannelFutureListener.CLOSE);
    }

    @Override
    public void close() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).addListener(done -> closed.complete(null));
        closed.join();
        try {
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.warn("{} stays: {}", path, e.toString());
        }
    }
}
