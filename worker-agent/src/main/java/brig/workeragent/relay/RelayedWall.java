package brig.workeragent.relay;

import brig.egress.link.WallSocket;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.EgressStream;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sockets of one process behind a wall. Each connection of its programs takes a connection of the gateway; without
 * one in time a proxy's client is told so, and every other connection is closed. State owned by the event loop.
 *
 * <p>Decision 0160.
 */
@SuppressWarnings("FutureReturnValueIgnored") // A channel that fails closes, and its handlers are told.
final class RelayedWall {
    private static final Logger LOG = LoggerFactory.getLogger(RelayedWall.class);
    /** As brig-egress, which closes those beyond. */
    private static final int CONNECTIONS_MAX = 256;
    /** How long a connection waits while the link is down. */
    static final long LINK_MS = 30_000;

    private static final long DRAIN_MS = 2_000;

    private final String spawnId;
    private final WaitingLinks links;
    private final EventLoop loop;
    private final long waitMs;
    private final Set<Channel> open = new HashSet<>();
    private int connections;
    private boolean ended;

    RelayedWall(String spawnId, WaitingLinks links, EventLoop loop) {
        this(spawnId, links, loop, LINK_MS);
    }

    RelayedWall(String spawnId, WaitingLinks links, EventLoop loop, long waitMs) {
        this.spawnId = spawnId;
        this.links = links;
        this.loop = loop;
        this.waitMs = waitMs;
    }

    /** Serves a socket, which belongs to this object. */
    void listen(WallSocket socket) {
        switch (socket.role()) {
            case PROXY -> accept(socket, EgressStream.Role.PROXY);
            case MODEL -> accept(socket, EgressStream.Role.MODEL);
            case TRANSPARENT -> accept(socket, EgressStream.Role.TRANSPARENT);
            case DNS_TCP -> accept(socket, EgressStream.Role.DNS);
            case DNS_UDP -> own(RelayedNames.open(spawnId, links, socket.descriptor(), loop));
            case GRANTED -> throw new IllegalArgumentException("not a socket of a wall");
        }
    }

    private void accept(WallSocket socket, EgressStream.Role role) {
        EpollServerSocketChannel server = new EpollServerSocketChannel(socket.descriptor());
        new ServerBootstrap()
                .group(loop, loop)
                .channelFactory(() -> server)
                .childOption(ChannelOption.TCP_NODELAY, true)
                .childHandler(new ChannelInitializer<EpollSocketChannel>() {
                    @Override
                    protected void initChannel(EpollSocketChannel channel) {
                        handleAccepted(channel, role);
                    }
                })
                .register();
        own(server);
    }

    /** Closes it with the others. */
    private void own(Channel channel) {
        loop.execute(() -> {
            if (ended) {
                channel.close();
            } else {
                open.add(channel);
            }
        });
    }

    private void handleAccepted(EpollSocketChannel channel, EgressStream.Role role) {
        if (ended || connections >= CONNECTIONS_MAX) {
            channel.close();
            return;
        }
        connections++;
        open.add(channel);
        channel.closeFuture().addListener(unused -> {
            connections--;
            open.remove(channel);
        });
        WallConnection connection = new WallConnection(channel);
        InetSocketAddress dialled = channel.localAddress();
        Thread.ofVirtual().name("wall-" + spawnId).start(() -> serve(connection, role, dialled));
    }

    private void serve(WallConnection connection, EgressStream.Role role, InetSocketAddress dialled) {
        try {
            boolean transparent = role == EgressStream.Role.TRANSPARENT;
            EgressStream stream = new EgressStream(
                    spawnId,
                    role,
                    transparent ? dialled.getAddress().getHostAddress() : null,
                    transparent ? dialled.getPort() : 0);
            links.take(stream, waitMs, (gateway, before) -> {
                try (connection) {
                    connection.forward(gateway, before);
                }
            });
        } catch (BrigException e) {
            LOG.warn("a connection is not served spawn_id={} role={}: {}", spawnId, role, e.getMessage());
            refuse(connection, role, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void refuse(WallConnection connection, EgressStream.Role role, BrigException why) {
        try (connection) {
            if (role == EgressStream.Role.PROXY || role == EgressStream.Role.MODEL) {
                connection.answer(answer(why), DRAIN_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RejectedExecutionException stopping) {
            LOG.debug("the worker-agent is being stopped: {}", stopping.toString());
        }
    }

    private static byte[] answer(BrigException why) {
        String status = why.code() == ErrorCode.WORKER_AGENT_UNAVAILABLE
                ? "504 Gateway Timeout"
                : why.code() == ErrorCode.FORBIDDEN ? "403 Forbidden" : "503 Service Unavailable";
        byte[] text = ("Brig: " + why.getMessage() + "\n").getBytes(StandardCharsets.UTF_8);
        String head = "HTTP/1.1 " + status + "\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: "
                + text.length + "\r\nconnection: close\r\n\r\n";
        return (head + new String(text, StandardCharsets.UTF_8)).getBytes(StandardCharsets.UTF_8);
    }

    /** Closes everything. @return completes when that is done; it never fails */
    CompletableFuture<Void> end() {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        loop.execute(() -> {
            ended = true;
            Set.copyOf(open).forEach(Channel::close);
            closed.complete(null);
        });
        return closed;
    }
}
