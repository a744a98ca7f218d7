package brig.workeragent.tunnel.commands;

import brig.protocol.io.SocketFile;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Listens on the socket that one wall has in {@code /run/brig/shell}. Which session a call belongs to follows from the
 * socket, as no other wall has it.
 */
final class ShellServer implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ShellServer.class);
    private static final int CONNECTIONS_MAX = 64;

    private final Path socket;
    private final ServerSocketChannel server;
    private final HostRoutes routes;
    private final Set<SocketChannel> connections = ConcurrentHashMap.newKeySet();

    private ShellServer(Path socket, ServerSocketChannel server, HostRoutes routes) {
        this.socket = socket;
        this.server = server;
        this.routes = routes;
    }

    static ShellServer open(Path socket, WorkersUser user, HostRoutes routes) throws IOException {
        Path bound = SocketFile.prepare(socket);
        ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        try {
            server.bind(UnixDomainSocketAddress.of(bound));
            Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
            if (user.switched()) Files.setAttribute(bound, "unix:uid", user.uid());
            SocketFile.publish(bound, socket);
        } catch (IOException | RuntimeException e) {
            server.close();
            throw e;
        }
        ShellServer opened = new ShellServer(socket, server, routes);
        Thread.ofVirtual().name("brig-shells").start(opened::accept);
        return opened;
    }

    private void accept() {
        while (server.isOpen()) {
            try {
                SocketChannel channel = server.accept();
                connections.add(channel);
                Thread.ofVirtual().name("brig-shell").start(() -> serve(channel, ShellConnection::serve));
            } catch (IOException e) {
                if (server.isOpen()) LOG.warn("accept failed socket={}: {}", socket, e.toString());
            }
        }
    }

    /**
     * Serves a request that was made for the caller, until its end.
     *
     * @param first a line for the caller, or empty
     */
    void serve(SocketChannel channel, ShellRequest request, String first) {
        connections.add(channel);
        serve(channel, connection -> {
            if (!first.isEmpty()) connection.say(first);
            connection.serve(request);
        });
    }

    private interface Service {
        void serve(ShellConnection connection) throws IOException;
    }

    private void serve(SocketChannel channel, Service service) {
        try (channel) {
            ShellConnection connection = new ShellConnection(channel, routes);
            if (connections.size() > CONNECTIONS_MAX) {
                connection.end("more than " + CONNECTIONS_MAX + " commands at once", ShellConnection.REFUSED);
            } else {
                service.serve(connection);
            }
        } catch (IOException e) {
            LOG.debug("a call of a shell ended: {}", e.toString());
        } finally {
            connections.remove(channel);
        }
    }

    /** Ends all commands, too. */
    @Override
    public void close() throws IOException {
        server.close();
        Files.deleteIfExists(socket);
        for (SocketChannel channel : connections) channel.close();
    }
}
