package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.io.SocketFile;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on a Unix socket and passes each connection of a trusted user to a virtual thread of its own.
 */
final class UnixListener implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(UnixListener.class);

    private final Path path;
    private final Peers peers;
    private final ServerSocketChannel server;
    private final Consumer<SocketChannel> handler;
    private final Semaphore places;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    private UnixListener(
            Path path, Peers peers, ServerSocketChannel server, int connectionsMax, Consumer<SocketChannel> handler) {
        this.path = path;
        this.peers = peers;
        this.server = server;
        this.handler = handler;
        this.places = new Semaphore(connectionsMax);
    }

    /**
     * Binds and accepts.
     *
     * @param peers the users admitted
     * @param connectionsMax connections beyond this number are closed at once
     * @param handler serves a connection to its end, on its own thread; the channel is closed afterwards
     * @throws BrigException if another process listens there, or the path is too long
     */
    static UnixListener open(Path path, Peers peers, int connectionsMax, Consumer<SocketChannel> handler)
            throws IOException {
        ServerSocketChannel server = bind(path, peers);
        UnixListener listener = new UnixListener(path, peers, server, connectionsMax, handler);
        Thread.ofVirtual().name("accept-" + path.getFileName()).start(listener::accept);
        return listener;
    }

    /** One after the other: workers start at the same time, and their sockets lie in one folder. */
    private static synchronized ServerSocketChannel bind(Path path, Peers peers) throws IOException {
        Path bound = SocketFile.prepare(path);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(bound));
            peers.admit(bound);
            SocketFile.publish(bound, path);
            return server;
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                connections.add(channel);
                Thread.ofVirtual().name("serve-" + path.getFileName()).start(() -> serve(channel));
            } catch (IOException e) {
                if (server.isOpen()) {
                    LOG.warn("accept failed socket={}: {}", path, e.toString());
                }
            }
        }
    }

    private void serve(SocketChannel channel) {
        boolean placed = places.tryAcquire();
        try (channel) {
            if (!placed) {
                LOG.warn("too many connections socket={}", path);
            } else if (!peers.isTrusted(channel)) {
                LOG.warn("refused a peer of another user socket={}", path);
            } else if (server.isOpen()) {
                handler.accept(channel);
            }
        } catch (IOException e) {
            LOG.debug("connection ended socket={}: {}", path, e.toString());
        } catch (RuntimeException e) {
            LOG.error("connection failed socket={}", path, e);
        } finally {
            connections.remove(channel);
            if (placed) {
                places.release();
            }
        }
    }

    Path path() {
        return path;
    }

    /** Whether there is a connection. */
    boolean connected() {
        return !connections.isEmpty();
    }

    /** Stops listening, ends the connections, removes the socket's file. */
    @Override
    public void close() {
        try {
            server.close();
            Files.deleteIfExists(path);
            for (SocketChannel channel : connections) {
                channel.close();
            }
        } catch (IOException e) {
            LOG.warn("closing failed socket={}: {}", path, e.toString());
        }
    }
}
