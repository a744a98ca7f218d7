package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.PortAnswer;
import brig.protocol.json.Json;
import brig.workeragent.worker.Workers;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Forwards a gateway's connection to a server that an agent runs inside its wall. Of two virtual threads, the one that
 * runs this passes the gateway's bytes on, the other the server's. Netty serves the server's side, since the connection
 * comes out of the wall as a descriptor, which the JDK cannot take. The gateway authorizes clients.
 *
 * <p>Decisions 0048, 0154.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A failing channel closes, which its handler sees.
final class PortConnection {
    private static final Logger LOG = LoggerFactory.getLogger(PortConnection.class);
    private static final int READ_BYTES_MAX = 64 * 1024;

    private final SocketChannel gateway;
    private final Services shared;

    /** Shared by all connections to ports. */
    static final class Services implements AutoCloseable {
        private final int connectionsMax;
        private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("brig-ports", true), EpollIoHandler.newFactory());
        /** Open connections by spawn. */
        private final ConcurrentHashMap<String, Integer> connections = new ConcurrentHashMap<>();

        /** @param connectionsMax concurrent connections to servers of one worker */
        Services(int connectionsMax) {
            this.connectionsMax = connectionsMax;
        }

        private void take(String spawnId) {
            connections.compute(spawnId, (id, open) -> {
                if (open != null && open >= connectionsMax) {
                    throw new BrigException(
                            ErrorCode.MAX_CONNECTIONS,
                            "worker.portConnectionsMax (" + connectionsMax + ") is reached",
                            1);
                }
                return open == null ? 1 : open + 1;
            });
        }

        private void give(String spawnId) {
            connections.computeIfPresent(spawnId, (id, open) -> open == 1 ? null : open - 1);
        }

        @Override
        public void close() {
            loop.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly();
        }
    }

    PortConnection(SocketChannel gateway, Services shared) {
        this.gateway = gateway;
        this.shared = shared;
    }

    /** Answers whether the server accepts, then forwards until both sides have ended. */
    void run(LinkPurpose.Port wanted, Workers workers) throws IOException {
        try {
            shared.take(wanted.spawnId());
        } catch (BrigException e) {
            answer(PortAnswer.refused(e));
            return;
        }
        try {
            forward(dial(wanted, workers));
        } catch (BrigException e) {
            answer(PortAnswer.refused(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            shared.give(wanted.spawnId());
        }
    }

    private static EpollSocketChannel dial(LinkPurpose.Port wanted, Workers workers) {
        try {
            return new EpollSocketChannel(
                    workers.find(wanted.spawnId()).dial(wanted.port()).join());
        } catch (CompletionException e) {
            throw e.getCause() instanceof BrigException refusal
                    ? refusal
                    : new BrigException(ErrorCode.INTERNAL, "cannot connect: " + e.getCause());
        }
    }

    private void answer(PortAnswer answer) throws IOException {
        Lines.write(gateway, ByteBuffer.wrap(Json.writeLine(answer)));
    }

    private void forward(EpollSocketChannel server) throws IOException, InterruptedException {
        FromServer received = new FromServer();
        server.config().setAutoRead(false);
        server.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        server.pipeline().addLast(received);
        try {
            shared.loop.register(server).sync();
            answer(PortAnswer.CONNECTED);
            Thread back = Thread.ofVirtual().name("port-back").start(() -> receive(server, received));
            send(server);
            back.join();
        } finally {
            server.close().await();
            received.release();
        }
    }

    /** Passes the gateway's bytes on until it ends; then the server sees the end. */
    private void send(EpollSocketChannel server) throws InterruptedException {
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES_MAX);
        try {
            while (gateway.read(buffer) >= 0) {
                server.writeAndFlush(Unpooled.copiedBuffer(buffer.flip())).sync();
                buffer.clear();
            }
            server.shutdownOutput().await();
        } catch (IOException e) {
            LOG.debug("a connection to a port ended: {}", e.toString());
            server.close();
        }
    }

    /** Passes the server's bytes back until it ends; then the gateway sees the end. */
    private void receive(EpollSocketChannel server, FromServer received) {
        try {
            for (ByteBuf bytes = received.next(server); bytes.isReadable(); bytes = received.next(server)) {
                try {
                    Lines.write(gateway, bytes.nioBuffers());
                } finally {
                    bytes.release();
                }
            }
            gateway.shutdownOutput();
        } catch (IOException e) {
            LOG.debug("a connection to a port ended: {}", e.toString());
            Lines.close(gateway);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** What the server sent and nobody took yet: read only when that is nothing. */
    private static final class FromServer extends ChannelInboundHandlerAdapter {
        /** An empty buffer stands for the end. */
        private final BlockingQueue<ByteBuf> waiting = new LinkedBlockingQueue<>();

        ByteBuf next(EpollSocketChannel server) throws InterruptedException {
            ByteBuf first = waiting.poll();
            if (first == null) {
                server.read();
                first = waiting.take();
            }
            return first;
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
            LOG.debug("a server behind a wall went: {}", cause.toString());
            ctx.close();
        }

        void release() {
            for (ByteBuf left = waiting.poll(); left != null; left = waiting.poll()) {
                left.release();
            }
        }
    }
}
