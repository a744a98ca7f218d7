package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.LinkPurpose;
import brig.protocol.control.PortAnswer;
import brig.protocol.json.Json;
import brig.workeragent.relay.Lines;
import brig.workeragent.relay.WallConnection;
import brig.workeragent.worker.Workers;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Forwards a gateway's connection to a server that an agent runs inside its wall. Of two virtual threads, the one that
 * runs this passes the gateway's bytes on, the other the server's. The gateway authorizes clients.
 *
 * <p>Decisions 0048, 0154.
 */
final class PortConnection {
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
        try (WallConnection wall = new WallConnection(server)) {
            shared.loop.register(server).sync();
            answer(PortAnswer.CONNECTED);
            wall.forward(gateway, ByteBuffer.allocate(0));
        }
    }
}
