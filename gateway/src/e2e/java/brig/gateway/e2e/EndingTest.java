package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Messages one after the other, and every way to end one of them or all. */
@Timeout(60)
class EndingTest {
    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    /** How a client asks for the end. The wire is that of a captain. */
    private interface Ending {
        void end(Spawned spawned, Wire captain) throws IOException;
    }

    private static void requireEnd(Ending ending) throws IOException {
        Spawned spawned = product.spawn("shell", "echo up; sleep 1000", false);
        try (Wire captain = spawned.captain()) {
            Frames frames = new Frames().readUntilType(captain, "chunk");
            ending.end(spawned, captain);
            frames.readAll(captain);
            assertEquals("requested", frames.last().text("reason"));
            assertEquals("terminated", frames.ofType("done").getFirst().text("reason"));
            assertNull(captain.line());
        }
        assertEquals("terminated", spawned.view().text("state"));
    }

    @Test
    void shouldEndSessionWhenCaptainSaysSoOnItsSocket() throws IOException {
        requireEnd((spawned, captain) -> captain.sendLine("{\"action\":\"terminate\"}"));
    }

    @Test
    void shouldEndSessionWhenSpawnerClientSaysSo() throws IOException {
        requireEnd((spawned, captain) -> {
            String request = "{\"action\":\"terminate\",\"id\":\"" + spawned.id() + "\"}";
            assertEquals(spawned.id(), product.ask(request).text("spawn_id"));
            assertEquals(spawned.id(), product.ask(request).text("spawn_id"), "it is no error to end it twice");
        });
    }

    @Test
    void shouldEndSessionWhenHttpClientDeletesIt() throws IOException {
        requireEnd((spawned, captain) -> assertEquals(
                202,
                product.web()
                        .with(spawned.captainToken())
                        .delete("/api/v1/spawns/" + spawned.id())
                        .status()));
    }

    @Test
    void shouldEndSessionWhenWebSocketsSaySo() throws IOException {
        requireEnd((spawned, captain) -> {
            try (Socket socket =
                    product.web().with(spawned.captainToken()).socket("/api/v1/sessions/" + spawned.id() + "/attach")) {
                new Frames().readAll(socket.sendLine("{\"action\":\"terminate\"}"));
                assertNull(socket.line());
                assertEquals(1000, socket.closeCode());
            }
        });
        requireEnd((spawned, captain) -> {
            try (Socket socket = product.web().socket("/api/v1/ws")) {
                socket.sendLine("{\"action\":\"subscribe\",\"id\":\"" + spawned.id() + "\"}");
                new Frames().readAll(socket.sendLine("{\"action\":\"terminate\",\"id\":\"" + spawned.id() + "\"}"));
            }
        });
    }

    @Test
    void shouldEndSessionWhenCommandLineSaysSo() throws IOException {
        requireEnd((spawned, captain) ->
                assertEquals(0, product.brig("terminate", spawned.id()).exitCode()));
    }

    @Test
    void shouldLeaveNoProcessWhenAgentHidesFromSignals() throws IOException {
        // Scenario: one process ignores SIGTERM, another has left the session and the process group and
        // ignores it too.
        String mark = "brig-e2e-" + System.nanoTime();
        String stubborn = "trap '' TERM HUP INT; ";
        Spawned spawned = product.spawn(
                "shell",
                stubborn + "setsid bash -c \"" + stubborn + "exec -a " + mark + " sleep 1000\" & " + "(exec -a " + mark
                        + " sleep 1000) & echo up; while :; do wait; done",
                false);
        try (Wire captain = spawned.captain()) {
            Frames frames = new Frames().readUntilType(captain, "chunk");
            Await.until("both processes run", () -> Processes.with(mark).size() == 2);
            frames.readAll(captain.sendLine("{\"action\":\"terminate\"}"));
            assertEquals(List.of(), Processes.with(mark));
        }
    }

    @Test
    void shouldGoOnWithSessionWhenMessageIsCancelled() throws IOException {
        Spawned spawned = product.spawn("shell", "echo up; sleep 1000", false);
        try (Wire captain = spawned.captain()) {
            Frames frames = new Frames().readUntilType(captain, "chunk");
            frames.readUntilType(captain.sendLine("{\"action\":\"cancel\"}"), "done");
            assertEquals("cancelled", frames.last().text("reason"));
            assertEquals("SIGTERM", frames.last().text("signal"));
            frames.readUntilType(captain.sendLine(Spawned.user("echo on")), "done");
            assertEquals(0, frames.last().number("exit_code", 255));
            assertEquals("up\non\n", frames.text());
            frames.readAll(captain.sendLine("{\"action\":\"terminate\"}"));
        }
    }

    @Test
    void shouldRunMessagesInOrderWhenTheyComeAtOnce() throws IOException {
        Spawned spawned =
                new Spawned(product, product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"}}"));
        try (Wire captain = spawned.captain()) {
            captain.send(Spawned.user("sleep 0.2; echo one; exit 3") + "\n" + Spawned.user("echo two") + "\n");
            Frames frames = new Frames().readUntilType(captain, "done").readUntilType(captain, "done");
            List<JsonObject> done = frames.ofType("done");
            assertEquals(3, done.get(0).number("exit_code", 255));
            assertEquals(0, done.get(1).number("exit_code", 255));
            assertEquals("one\ntwo\n", frames.text());
            frames.readAll(captain.sendLine("{\"action\":\"terminate\"}"));
        }
    }

    @Test
    void shouldEndByItselfWhenSpawnedOnce() throws IOException {
        Spawned spawned = product.shell("echo only");
        try (Wire watcher = spawned.attach("watcher")) {
            Frames frames = new Frames().readAll(watcher);
            assertEquals("completed", frames.last().text("reason"));
            assertEquals(1, frames.ofType("done").size());
        }
        assertTrue(spawned.view().has("ended_ms"));
    }

    @Test
    @Tag("slow")
    void shouldGiveTaskIdAnewWhenOldReaderIsStillThere() throws IOException {
        // Scenario: a session has ended but a slow watcher has not taken its end yet; its name is used again.
        String request = "{\"action\":\"spawn\",\"task_id\":\"twice\",\"agent_config\":{\"name\":\"shell\"}";
        Spawned first = new Spawned(product, product.ask(request + ",\"once\":true,\"prompt\":\"seq 1 1000000\"}"));
        try (Wire slow = Wire.unix(first.socket());
                Wire reader = first.attach("watcher")) {
            assertEquals(
                    "watcher",
                    slow.sendLine("{\"auth\":\"" + first.watcherToken() + "\"}")
                            .message()
                            .text("role"));
            Frames seen = new Frames().readAll(reader);
            Spawned second = new Spawned(product, product.ask(request + "}"));
            assertEquals(first.socket(), second.socket());
            try (Wire captain = second.captain()) {
                Frames frames = new Frames().readUntilType(captain.sendLine(Spawned.user("echo second")), "done");
                assertEquals("second\n", frames.text());
                frames.readAll(captain.sendLine("{\"action\":\"terminate\"}"));
            }
            assertEquals(seen.lines(), new Frames().readAll(slow).lines());
        }
    }
}
