package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The spawner socket as a client with few manners meets it, and places that are taken when Brig starts. */
@Timeout(60)
class SpawnerSocketTest {
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    @Test
    void shouldAnswerInOrderWhenRequestsHaveNoNewlines() throws IOException {
        try (Wire wire = product.dial()) {
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
    void shouldTakeEachNameOfASessionInEachOfItsFields() throws IOException {
        String spawnId = product.idle("named").id();
        for (String field : List.of("id", "task_id", "spawn_id", "session_id")) {
            for (String name : List.of("named", spawnId)) {
                assertEquals(
                        spawnId,
                        product.ask("{\"action\":\"status\",\"" + field + "\":\"" + name + "\"}")
                                .text("spawn_id"));
            }
        }
        JsonObject twice = product.ask("{\"action\":\"terminate\",\"id\":\"named\",\"task_id\":\"other\"}");
        assertEquals("INVALID_FIELD", twice.text("code"));
        assertTrue(twice.text("error", "").contains("'task_id'"), twice::toString);
        for (String action : List.of(
                "tree", "terminate", "diff", "apply", "discard", "egress", "rebind", "pause", "resume", "attach")) {
            assertEquals(
                    "NOT_FOUND",
                    product.ask("{\"action\":\"" + action + "\",\"task_id\":\"none\"}")
                            .text("code"),
                    action);
        }
        assertEquals(
                spawnId,
                product.ask("{\"action\":\"terminate\",\"task_id\":\"named\"}").text("spawn_id"));
    }

    @Test
    @Tag("slow")
    void shouldServeTheCommandLineOverHttpAsWhoeverTheTokenIsOf() throws IOException {
        String token = product.web()
                .post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"far\"}")
                .json()
                .text("token", "");
        Spawned local = product.idle("local");
        Run run = remote(token, "run", "shell", "--task-id", "far", "--", "echo said; exit 4");
        assertEquals("said\n", run.out(), run::err);
        assertEquals(4, run.exitCode());
        Run list = remote(token, "ls", "--all", "--json");
        assertEquals(
                List.of("far"),
                list.json().objects("spawns").stream()
                        .map(spawn -> spawn.text("task_id"))
                        .toList());
        Run refused = remote(token, "stop", local.id());
        assertEquals(125, refused.exitCode());
        assertTrue(refused.err().contains("(UNAUTHENTICATED)"), refused::err);
        assertTrue(remote("brig_" + "x".repeat(43), "ls").err().contains("(FORBIDDEN)"), "it opens nothing by itself");
        assertTrue(remote("", "ls").err().contains("BRIG_TOKEN"), "a token is needed");
    }

    @Test
    void shouldRefuseToSendATokenInTheClear() throws IOException {
        try (Product product = Product.prepare(Map.of())) {
            Run run = Run.of(
                    List.of(
                            "env",
                            "BRIG_HOST=http://192.0.2.1:7070",
                            "BRIG_TOKEN=secret",
                            product.command().getFirst(),
                            "ls"),
                    "",
                    product.folder());
            assertEquals(125, run.exitCode());
            assertTrue(run.err().contains("must be https://"), run::err);
        }
    }

    private static Run remote(String token, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of("env", "BRIG_HOST=" + product.url(), "BRIG_TOKEN=" + token));
        command.addAll(product.command(arguments));
        return Run.of(command, "", product.folder());
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
    @Tag("slow")
    void shouldRefuseToStartWhenPortIsBusy() throws IOException {
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Product product = Product.prepare(Map.of("http", Map.of("port", (long) other.getLocalPort())))) {
            requireRefusal(product.brig("serve"), "http.port");
        }
    }

    @Test
    void shouldStartWhenAllSocketsAreInOneFolder() throws IOException {
        // Scenario: the folders of an ordinary user, where the runtime folder holds everything.
        try (Product product = Product.prepare(Map.of())) {
            Path runtime = product.folder().resolve("run");
            Files.writeString(
                    product.config(),
                    Files.readString(product.config())
                            .replace(
                                    product.spawner().toString(),
                                    runtime.resolve("spawner.sock").toString()));
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
