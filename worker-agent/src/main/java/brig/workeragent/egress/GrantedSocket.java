package brig.workeragent.egress;

import brig.egress.link.WallSocket;
import brig.workeragent.wall.WallNetwork;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The network of a wall on another host: a listening Unix socket of brig-egress, in a folder that only the worker-agent
 * may enter.
 *
 * <p>Decision 0160.
 */
public final class GrantedSocket implements WallNetwork {
    private static final Logger LOG = LoggerFactory.getLogger(GrantedSocket.class);
    private static final int BACKLOG = 1024;

    private final Path path;
    private final Socket socket;

    private GrantedSocket(Path path, Socket socket) {
        this.path = path;
        this.socket = socket;
    }

    static GrantedSocket open(Path path) throws IOException {
        Epoll.ensureAvailability();
        Files.deleteIfExists(path);
        Socket socket = Socket.newSocketDomain();
        try {
            socket.bind(new DomainSocketAddress(path.toString()));
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
            socket.listen(BACKLOG);
            return new GrantedSocket(path, socket);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    /** Where the worker-agent connects. */
    public Path path() {
        return path;
    }

    @Override
    public List<WallSocket> sockets() {
        return List.of(new WallSocket(WallSocket.Role.GRANTED, 0, socket.intValue()));
    }

    @Override
    public List<WallSocket> take() {
        throw new IllegalStateException("brig-egress serves it");
    }

    @Override
    public CompletableFuture<WallSocket> listen(int port) {
        return CompletableFuture.failedFuture(
                new IOException("the wall is on another host and has the ports that it started with"));
    }

    @Override
    public void close() {
        try {
            socket.close();
            Files.deleteIfExists(path);
        } catch (IOException e) {
            LOG.warn("closing failed socket={}: {}", path, e.toString());
        }
    }
}
