package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spawner socket as a client with few manners meets it, and places that are taken when Brig starts. */
@Timeout(60)
class SpawnerSocketTest {
    @Test
    void shouldAnswerInOrderWhenRequestsHaveNoNewlines() throws IOException {
        try (Product product = Product.start(); Wire wire = product.dial()) {
            wire.send("{\"action\":\"list\"}");
            assertTrue(wire.message().has("spawns"));
            wire.send("{\"action\":\"agents\"}{\"action\":\"list\"}");
            assertTrue(wire.message().has("agents"));
            assertTrue(wire.message().has("spawns"));
            for (byte one : "{\"action\":\"status\",\"id\":\"none\"}".getBytes(StandardCharsets.US_ASCII)) {
                wire.send(one);
            }
            assertEquals("NOT_FOUND", wire.message().text("code"));
        }
    }

    @Test
    void shouldTakeItsPlaceWhenStaleSocketIsLeft() throws IOException {
        try (Product product = Product.prepare(Map.of())) {
            bind(product.spawner()).close();
            assertTrue(Files.exists(product.spawner()));
            product.serve();
            assertTrue(product.ask("{\"action\":\"list\"}").has("spawns"));
        }
    }

    @Test
    void shouldRefuseToStartWhenSocketIsLive() throws IOException {
        try (Product product = Product.prepare(Map.of());
                ServerSocketChannel other = bind(product.spawner())) {
            requireRefusal(product.brig("serve"), product.spawner().toString());
            assertTrue(other.isOpen());
            assertTrue(Files.exists(product.spawner()), "the socket of the other process was taken away");
        }
    }

    @Test
    void shouldRefuseToStartWhenPortIsBusy() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Product product = Product.prepare(
                        Map.of("http", Map.of("port", (long) other.getLocalPort())))) {
            requireRefusal(product.brig("serve"), "http.port");
        }
    }

    @Test
    void shouldStartWhenAllSocketsAreInOneFolder() throws IOException {
        // Scenario: the folders of an ordinary user, where the runtime folder holds everything.
        try (Product product = Product.prepare(Map.of())) {
            Path runtime = product.folder().resolve("run");
            Files.writeString(product.config(), Files.readString(product.config())
                    .replace(product.spawner().toString(), runtime.resolve("spawner.sock").toString()));
            product.serve();
            try (Wire wire = Wire.unix(runtime.resolve("spawner.sock"))) {
                assertTrue(wire.send("{\"action\":\"list\"}").message().has("spawns"));
            }
            try (Wire wire = Wire.unix(runtime.resolve("http.sock"))) {
                wire.send("GET /api/v1/spawns HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
                assertTrue(wire.rest().startsWith("HTTP/1.1 200"));
            }
        }
    }

    private static ServerSocketChannel bind(Path socket) throws IOException {
        return ServerSocketChannel.open(StandardProtocolFamily.UNIX).bind(UnixDomainSocketAddress.of(socket));
    }

    private static void requireRefusal(Run run, String named) {
        assertEquals(125, run.exitCode(), run::err);
        assertTrue(run.err().contains(named), run::err);
        assertEquals("", run.out());
    }
}
