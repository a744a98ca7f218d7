package brig.workeragent.link;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
class UnixListenerTest {
    @TempDir
    Path folder;

    private static SocketChannel connect(Path socket) throws Exception {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        channel.connect(UnixDomainSocketAddress.of(socket));
        return channel;
    }

    @Test
    void shouldTakeOverWhenSocketIsStale() throws Exception {
        Path path = folder.resolve("s.sock");
        ServerSocketChannel dead = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        dead.bind(UnixDomainSocketAddress.of(path));
        dead.close();
        assertTrue(Files.exists(path));
        CountDownLatch served = new CountDownLatch(1);
        try (UnixListener listener = UnixListener.open(path, Peers.of(null), 4, channel -> served.countDown());
                SocketChannel client = connect(listener.path())) {
            assertTrue(served.await(20, TimeUnit.SECONDS));
            assertEquals(-1, client.read(ByteBuffer.allocate(1)));
        }
        try (var left = Files.list(folder)) {
            assertEquals(0, left.count());
        }
    }

    @Test
    void shouldRefuseWhenSocketIsLive() throws Exception {
        Path path = folder.resolve("s.sock");
        try (ServerSocketChannel live = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            live.bind(UnixDomainSocketAddress.of(path));
            BrigException e =
                    assertThrows(BrigException.class, () -> UnixListener.open(path, Peers.of(null), 4, channel -> {}));
            assertTrue(e.getMessage().contains("another process listens on " + path), e.getMessage());
        }
    }

    @Test
    void shouldRefuseWhenPathIsTooLong() {
        Path path = folder.resolve("s".repeat(120));
        BrigException e =
                assertThrows(BrigException.class, () -> UnixListener.open(path, Peers.of(null), 4, channel -> {}));
        assertTrue(e.getMessage().contains("107 are possible"), e.getMessage());
    }

    @Test
    void shouldCloseConnectionWhenThereAreTooMany() throws Exception {
        CountDownLatch first = new CountDownLatch(1);
        CountDownLatch hold = new CountDownLatch(1);
        try (UnixListener listener = UnixListener.open(folder.resolve("s.sock"), Peers.of(null), 1, channel -> {
                    first.countDown();
                    try {
                        hold.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                });
                SocketChannel held = connect(listener.path())) {
            first.await();
            try (SocketChannel refused = connect(listener.path())) {
                assertEquals(-1, refused.read(ByteBuffer.allocate(1)));
            }
            assertTrue(held.isConnected());
            hold.countDown();
        }
        assertFalse(Files.exists(folder.resolve("s.sock")));
    }

    @Test
    void shouldTrustOwnUserWhenItConnects() throws Exception {
        Path path = folder.resolve("s.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            try (SocketChannel client = connect(path);
                    SocketChannel accepted = server.accept()) {
                assertTrue(Peers.of(null).isTrusted(accepted));
                assertTrue(client.isConnected());
            }
        }
    }
}
