package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * A connection takes one place while it is open and none after it, whatever it was and however it ended. There are fewer
 * places here than connections are opened one after another: who leaks one is refused before the end.
 */
@Timeout(120)
class ConnectionsTest {
    private static final int PLACES = 24;
    /** Of each kind; 20,000 for the long run, without the bound in time. */
    private static final int CONNECTIONS = Integer.getInteger("brig.connections", 250);

    private static final String UPGRADE = """
            Connection: Upgrade
            Upgrade: websocket
            Sec-WebSocket-Version: 13
            Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==
            """.replace("\n", "\r\n");
    /** Masked with zeroes: 1000, the client is done. */
    private static final byte[] CLOSE_FRAME = {(byte) 0x88, (byte) 0x82, 0, 0, 0, 0, 0x03, (byte) 0xe8};

    /** The JVM opens a file now and then: a log, a class. */
    private static final int DESCRIPTORS_SPARE = 8;

    private static Product product;
    private static Spawned spawned;
    private static Spawned server;

    /** What is opened. */
    private enum Kind {
        ATTACH_TCP(true, "GET /api/v1/sessions/beside/attach HTTP/1.1\r\n", UPGRADE, " 101 "),
        MULTIPLEX_TCP(true, "GET /api/v1/ws HTTP/1.1\r\n", UPGRADE, " 101 "),
        ATTACH_UNIX(false, "GET /api/v1/sessions/beside/attach HTTP/1.1\r\n", UPGRADE, " 101 "),
        MULTIPLEX_UNIX(false, "GET /api/v1/ws HTTP/1.1\r\n", UPGRADE, " 101 "),
        EVENTS_UNIX(false, "GET /api/v1/sessions/beside/stream HTTP/1.1\r\n", "", " 200 "),
        MODELS(true, "GET /openai/v1/models HTTP/1.1\r\n", "", " 200 "),
        EVENTS(true, "GET /api/v1/sessions/beside/stream HTTP/1.1\r\n", "", " 200 "),
        REQUEST_TCP(true, "GET /api/v1/status HTTP/1.1\r\n", "", " 200 "),
        REQUEST_UNIX(false, "GET /api/v1/status HTTP/1.1\r\n", "", " 200 "),
        SESSION(false, "", "", "authenticated"),
        PORT(true, "GET /api/v1/sessions/serves/ports/3000/head HTTP/1.1\r\n", "", " 200 "),
        PORT_WEBSOCKET(true, "GET /api/v1/sessions/serves/ports/3000/ws HTTP/1.1\r\n", UPGRADE, " 101 "),
        SPAWNER(false, "", "", "spawns");

        private final boolean tcp;
        private final String first;
        private final String headers;
        private final String answer;

        Kind(boolean tcp, String first, String headers, String answer) {
            this.tcp = tcp;
            this.first = first;
            this.headers = headers;
            this.answer = answer;
        }

        private boolean toPort() {
            return this == PORT || this == PORT_WEBSOCKET;
        }

        private Wire dial() throws IOException {
            return switch (this) {
                case SESSION -> Wire.unix(spawned.socket());
                case SPAWNER -> product.dial();
                default ->
                    tcp
                            ? Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())
                            : Wire.unix(product.runtime().resolve("http.sock"));
            };
        }

        private String words(String token) {
            return switch (this) {
                case SESSION -> "{\"auth\":\"" + token + "\"}\n";
                case SPAWNER -> token.isEmpty() ? "{\"action\":\"fly\"}\n" : "{\"action\":\"list\"}\n";
                default ->
                    first + "Host: 127.0.0.1\r\n" + headers
                            + (token.isEmpty()
                                    ? "Host: again\r\n"
                                    : tcp ? "Authorization: Bearer " + token + "\r\n" : "")
                            + "\r\n";
            };
        }
    }

    @BeforeAll
    static void start() throws IOException {
        product = Product.start(Map.of("limits", Map.of("connectionsMax", (long) PLACES)));
        spawned = product.idle("beside");
        server = product.idle("serves");
        Files.copy(
                Path.of("src/e2e/resources/brig/gateway/e2e/server.pl"),
                server.workspace().resolve("server.pl"));
        try (Wire captain = server.captain()) {
            captain.sendLine(Spawned.user("perl server.pl"));
            new Frames().readUntil(captain, frame -> frame.text("content", "").contains("up"));
        }
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static long places() throws IOException {
        return product.ask("{\"action\":\"gateway\"}").number("connections", -1);
    }

    private static String token(Kind kind) throws IOException {
        if (kind.toPort()) {
            return server.captainToken();
        }
        return kind == Kind.SESSION ? spawned.captainToken() : product.adminToken();
    }

    /** What the gateway and the worker-agent have open. */
    private static long descriptors() throws IOException {
        long count = 0;
        for (ProcessHandle process :
                List.of(product.process().toHandle(), product.workerAgents().getFirst())) {
            try (Stream<Path> open = Files.list(Path.of("/proc", String.valueOf(process.pid()), "fd"))) {
                count += open.count();
            }
        }
        return count;
    }

    private static Wire opened(Kind kind) throws IOException {
        Wire wire = kind.dial().send(kind.words(token(kind)));
        String answer = wire.line();
        assertTrue(answer != null && answer.contains(kind.answer), () -> kind + " is answered " + answer);
        return wire;
    }

    /** The client is done and waits for the other side. */
    private static void closeCleanly(Kind kind) throws IOException {
        try (Wire wire = opened(kind)) {
            if (kind == Kind.PORT_WEBSOCKET) {
                wire.send("end\n");
            } else if (!kind.headers.isEmpty()) {
                wire.send(CLOSE_FRAME);
            } else {
                wire.endOutput();
            }
            if (kind != Kind.EVENTS && kind != Kind.EVENTS_UNIX) {
                wire.rest();
            }
        }
    }

    /** The client goes in the middle of it, with words unread. */
    private static void cut(Kind kind) throws IOException {
        kind.dial().send(kind.words(token(kind))).close();
    }

    private static void beRefused(Kind kind) throws IOException {
        try (Wire wire = kind.dial().send(kind.words(""))) {
            String answer = wire.line();
            assertFalse(answer == null || answer.contains(kind.answer), () -> kind + " is answered " + answer);
        }
    }

    /** It says half of what it has to. */
    private static void leaveHalfWay(Kind kind) throws IOException {
        String words = kind.words(token(kind));
        kind.dial().send(words.substring(0, words.length() / 2)).close();
    }

    @ParameterizedTest
    @CsvSource({
        "ATTACH_TCP",
        "MULTIPLEX_TCP",
        "ATTACH_UNIX",
        "MULTIPLEX_UNIX",
        "EVENTS",
        "EVENTS_UNIX",
        "MODELS",
        "REQUEST_TCP",
        "REQUEST_UNIX",
        "SESSION",
        "SPAWNER",
        "PORT",
        "PORT_WEBSOCKET"
    })
    void shouldGiveEveryPlaceBackHoweverAConnectionEnds(Kind kind) throws IOException {
        long before = places();
        try (Wire _ = opened(kind)) {
            // What opened it may have another connection, which the gateway has yet to see closed.
            Await.until("it has a place, and nothing else", () -> places() == before + 1);
        }
        Await.until("the place comes back", () -> places() == before);
        long open = descriptors();
        for (int i = 0; i < CONNECTIONS / 4; i++) {
            closeCleanly(kind);
            beRefused(kind);
            cut(kind);
            leaveHalfWay(kind);
            if (i % 4 == 0) {
                // What was cut is closed when the gateway comes to it.
                Await.until("places come back", () -> places() <= before + 2);
            }
        }
        Await.until("all places come back", () -> places() == before);
        Await.until(
                "no unauthenticated connection is left",
                () -> product.ask("{\"action\":\"gateway\"}").number("connections_unauthenticated", -1) == 0);
        Await.until("all descriptors come back", () -> descriptors() <= open + DESCRIPTORS_SPARE);
    }
}
