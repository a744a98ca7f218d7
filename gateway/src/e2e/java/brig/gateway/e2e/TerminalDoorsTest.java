package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The terminal of an agent through every way in: WebSockets and server-sent events, as captain, watcher and approver. */
@Timeout(180)
class TerminalDoorsTest {
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start(Map.of());
        product.addProfile("small", "shell", Map.of("tty", Map.of("argv", List.of("/bin/bash"), "size", "smallest")));
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private static Spawned terminal(String agent) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"tty\":true,\"agent_config\":{\"name\":\"" + agent + "\"}}"));
    }

    private static String keys(String typed) {
        return "{\"type\":\"keys\",\"data\":\"" + typed + "\"}";
    }

    /** Reads until the terminal has shown that. */
    private static void awaitText(Source source, String text) throws IOException {
        StringBuilder shown = new StringBuilder();
        while (shown.indexOf(text) < 0) {
            JsonObject line = source.message();
            if (line.text("stream", "").equals("tty")) {
                shown.append(line.text("content", ""));
            }
        }
    }

    private static String refusal(Source source) throws IOException {
        return await(source, "error").text("code");
    }

    private static JsonObject await(Source source, String type) throws IOException {
        JsonObject line = source.message();
        while (!line.text("type", "").equals(type)) {
            line = source.message();
        }
        return line;
    }

    @Test
    void shouldTakeKeysAndSizesOnWebSockets() throws IOException {
        Spawned spawned = terminal("shell");
        Web admin = product.web();
        try (Socket one = admin.with(spawned.captainToken()).socket("/api/v1/sessions/" + spawned.id() + "/attach");
                Socket many = admin.socket("/api/v1/ws")) {
            one.sendLine("{\"type\":\"resize\",\"cols\":101,\"rows\":31}");
            one.sendLine(keys("echo one-$((1+1)); stty size\\r"));
            awaitText(one, "31 101");
            one.sendLine("{\"type\":\"resize\",\"cols\":1001,\"rows\":31}");
            assertEquals("INVALID_FIELD", refusal(one));
            one.sendLine("{\"action\":\"release_control\"}");
            String id = "\"id\":\"" + spawned.id() + "\"";
            many.sendLine("{\"action\":\"subscribe\",\"role\":\"captain\",\"from\":\"screen\"," + id + "}");
            many.sendLine("{\"action\":\"take_control\"," + id + "}");
            many.sendLine("{\"action\":\"resize\",\"cols\":99,\"rows\":29," + id + "}");
            many.sendLine("{\"action\":\"keys\",\"data\":\"echo many-$((2+2)); stty size\\r\"," + id + "}");
            awaitText(many, "29 99");
            awaitText(one, "many-4");
        }
    }

    /** Scenario: somebody watches over server-sent events, from the newest checkpoint; a watcher's and an approver's keys are refused. */
    @Test
    void shouldShowToWatchersWhatTheyMayNotType() throws IOException {
        Spawned spawned = terminal("shell");
        Web admin = product.web();
        Web watcher = admin.with(spawned.watcherToken());
        String approver = admin.post("/api/v1/tokens", "{\"role\":\"approver\",\"session\":\"" + spawned.id() + "\"}")
                .json()
                .text("token");
        String attach = "/api/v1/sessions/" + spawned.id() + "/attach";
        try (Terminal captain = Terminal.at(spawned.captain())) {
            captain.type("echo before-$((1+1))\r").awaitText("before-2");
            captain.resize(90, 20).await("screen");
            try (Events events = watcher.follow("/api/v1/sessions/" + spawned.id() + "/stream?from=screen", "");
                    Socket watching = watcher.socket(attach);
                    Socket approving = admin.with(approver).socket(attach)) {
                JsonObject screen = await(events, "screen");
                assertEquals(90L, screen.value("cols"));
                assertTrue(screen.text("content", "").contains("before-2"), screen::toString);
                for (Socket other : List.of(watching, approving)) {
                    other.sendLine(keys("echo never-$((1+1))\\r"));
                    assertEquals("FORBIDDEN", refusal(other));
                    other.sendLine("{\"type\":\"resize\",\"cols\":30,\"rows\":10}");
                    assertEquals("FORBIDDEN", refusal(other));
                }
                captain.type("echo after-$((2+2)); stty size\r");
                awaitText(events, "20 90");
            }
        }
        TerminalCells cells = TerminalCells.ofReader(spawned);
        assertTrue(cells.text().contains("after-4") && !cells.text().contains("never"), cells::text);
    }

    @Test
    void shouldHaveTheSizeOfTheCaptainWhoTypedLast() throws IOException {
        Spawned spawned = terminal("shell");
        try (Terminal one = Terminal.at(spawned.captain())) {
            one.resize(100, 30).type("stty size\r").awaitText("30 100");
            try (Terminal other = Terminal.at(spawned.captain())) {
                other.resize(60, 40).type("echo other-$((1+1)); stty size\r").awaitText("40 60");
                one.awaitText("40 60").type("stty size\r").awaitText("30 100");
                other.type("echo again-$((3+3)); stty size\r").awaitText("again-6");
                one.awaitText("40 60");
            }
            one.await("tty");
            one.type("stty size\r").awaitText("30 100");
        }
    }

    @Test
    void shouldHaveTheSmallestSizeWhereTheProfileSaysSo() throws IOException {
        Spawned spawned = terminal("small");
        try (Terminal one = Terminal.at(spawned.captain())) {
            one.resize(100, 30).type("stty size\r").awaitText("30 100");
            try (Terminal other = Terminal.at(spawned.captain())) {
                other.resize(60, 40).type("stty size\r").awaitText("30 60");
                one.awaitText("30 60").type("stty size\r").awaitText("30 60");
            }
            one.await("tty");
            one.type("stty size\r").awaitText("30 100");
        }
    }
}
