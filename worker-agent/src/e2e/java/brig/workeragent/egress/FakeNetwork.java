package brig.workeragent.egress;

import brig.egress.link.WallSocket;
import brig.egress.link.WallSocket.Role;
import brig.workeragent.wall.WallNetwork;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.FileDescriptor;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Sockets on this host's loopback instead of a wall's. */
final class FakeNetwork implements WallNetwork {
    private final List<WallSocket> sockets = new ArrayList<>();
    final List<Integer> listened = new ArrayList<>();

    FakeNetwork() throws IOException {
        sockets.add(open(Role.PROXY, 0));
        sockets.add(open(Role.MODEL, 0));
    }

    private static WallSocket open(Role role, int port) throws IOException {
        Epoll.ensureAvailability();
        Socket socket = Socket.newSocketStream();
        socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        socket.listen(128);
        return new WallSocket(role, socket.localAddress().getPort(), socket.intValue());
    }

    int port() {
        return sockets.getFirst().port();
    }

    int modelPort() {
        return sockets.getLast().port();
    }

    @Override
    public List<WallSocket> sockets() {
        return List.copyOf(sockets);
    }

    @Override
    public List<WallSocket> take() {
        return sockets();
    }

    @Override
    public CompletableFuture<WallSocket> listen(int port) {
        listened.add(port);
        return CompletableFuture.failedFuture(new IOException("not in this test"));
    }

    @Override
    public void close() {
        sockets.forEach(socket -> {
            try {
                new FileDescriptor(socket.descriptor()).close();
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }
}
