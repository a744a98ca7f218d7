package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What is left when a part of Brig is killed. */
@Timeout(90)
class CrashTest {
    private static final int LINES = 120;
    private static final String NUMBERS = "for i in $(seq 1 " + LINES
            + "); do echo line $i; sleep 0.02; [ $i -ne 100 ] || until [ -e go ]; do sleep 0.02; done; done";

    private static Product product;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    /** A test that failed may have left it down. */
    @BeforeEach
    void revive() throws IOException {
        if (!product.process().isAlive()) {
            product.serve();
        }
    }

    @Test
    void shouldEndSessionsAndGoOnWhenWorkerAgentIsKilled() throws IOException {
        String mark = "brig-e2e-" + System.nanoTime();
        Spawned spawned = product.shell("exec -a " + mark + " sleep 1000 & echo up; wait");
        try (Wire captain = spawned.captain()) {
            Frames frames = new Frames().readUntilType(captain, "chunk");
            Await.until("the agent runs", () -> Processes.with(mark).size() == 1);
            ProcessHandle killed = product.workerAgents().getFirst();
            killed.destroyForcibly();
            frames.readAll(captain);
            assertEquals("WORKER_LOST", frames.ofType("error").getFirst().text("code"));
            assertEquals(1, frames.ofType("done").size());
            assertEquals("worker_lost", frames.last().text("reason"));
        }
        Await.until("no agent is left", () -> Processes.with(mark).isEmpty());
        assertEquals("terminated", spawned.view().text("state"));
        try (Wire wire = spawnAgain().attach("captain")) {
            assertEquals("again\n", new Frames().readAll(wire).text());
        }
    }

    /** The new worker-agent may not listen yet; that refusal says to come again. */
    private static Spawned spawnAgain() throws IOException {
        JsonObject[] answer = new JsonObject[1];
        Await.until("a spawn is accepted again", () -> {
            answer[0] = product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"},"
                    + "\"prompt\":\"echo again\",\"once\":true}");
            assertTrue(
                    !answer[0].has("code") || answer[0].text("code").endsWith("_UNAVAILABLE"),
                    () -> String.valueOf(answer[0]));
            return !answer[0].has("code");
        });
        return new Spawned(product, answer[0]);
    }

    @Test
    void shouldLoseAndDoubleNothingWhenGatewayIsKilled() throws IOException {
        // Scenario: a worker writes numbered lines; the gateway is killed in the middle and starts again a
        // moment later. The worker writes on meanwhile, and does not end before the gateway is back.
        Spawned spawned = product.shell(NUMBERS);
        Frames frames = new Frames();
        try (Wire captain = spawned.captain()) {
            frames.readUntil(captain, frame -> frames.text().contains("line 20\n"));
            product.kill();
        }
        assertEquals(1, product.workerAgents().size());
        product.serve();
        assertEquals("running", spawned.view().text("state"));
        Files.createFile(spawned.workspace().resolve("go"));
        try (Wire captain = spawned.captain(frames.next())) {
            frames.readAll(captain);
        }
        assertEquals(0, frames.missing());
        StringBuilder expected = new StringBuilder();
        for (int i = 1; i <= LINES; i++) {
            expected.append("line ").append(i).append('\n');
        }
        assertEquals(expected.toString(), frames.text());
        try (Wire watcher = spawned.attach("watcher")) {
            assertEquals(frames.lines(), new Frames().readAll(watcher).lines());
        }
    }

    @Test
    void shouldLeaveNothingInTheTemporaryFolderWhenItIsKilled() throws IOException {
        try (Product product = Product.prepare(Map.of())) {
            Path temporary = Files.createDirectory(product.folder().resolve("tmp"));
            product.with("BRIG_JAVA_OPTS=-Djava.io.tmpdir=" + temporary).serve();
            try (Wire watcher = product.shell("echo x").attach("watcher")) {
                assertEquals("x\n", new Frames().readAll(watcher).text());
            }
            product.kill();
            product.workerAgents().forEach(ProcessHandle::destroyForcibly);
            try (Stream<Path> left = Files.list(temporary)) {
                assertEquals(List.of(), left.toList());
            }
        }
    }

    @Test
    void shouldRunAMessageOnceWhenItIsSentAgainBehindAKilledGateway() throws IOException {
        // Scenario: a captain hears that its message is taken, the gateway is killed while the agent works, and the
        // captain,
        // to be sure, sends the message again.
        String once =
                "{\"role\":\"user\",\"content\":\"echo once; until [ -e go ]; do sleep 0.02; done\",\"message_id\":\"m-1\"}";
        Spawned spawned = product.idle("once");
        Frames frames = new Frames();
        try (Wire captain = spawned.captain()) {
            captain.sendLine(once);
            frames.readUntilType(captain, "chunk");
            product.kill();
        }
        product.serve();
        assertEquals("working", spawned.view().text("activity"));
        try (Wire captain = spawned.captain(frames.next())) {
            captain.sendLine(once);
            captain.sendLine("{\"role\":\"user\",\"content\":\"echo twice\",\"message_id\":\"m-2\"}");
            Files.createFile(spawned.workspace().resolve("go"));
            frames.readUntil(captain, frame -> frames.ofType("done").size() == 2);
            assertEquals("idle", spawned.view().text("activity"));
        }
        assertEquals("once\ntwice\n", frames.text());
        assertEquals(
                List.of("m-1", "m-1", "m-2"),
                frames.ofType("accepted").stream()
                        .map(frame -> frame.text("message_id"))
                        .toList());
        JsonObject message = frames.ofType("message").getLast();
        assertEquals("m-2 socket", message.text("message_id") + " " + message.text("via"));
        assertTrue(product.brig("logs", "once").err().contains("by socket: echo twice"));
    }

    @Test
    void shouldLeaveNoSocketAndEveryWorkerWhenItCannotStart() throws IOException {
        // Scenario: a gateway is killed, and when it is started again its port is somebody else's.
        try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            Spawned spawned = product.idle("kept");
            product.kill();
            Path config = product.folder().resolve("taken.json");
            Map<String, Object> taken = Json.parseObject(Files.readAllBytes(product.config()));
            taken.put("http", Map.of("port", (long) other.getLocalPort()));
            Files.write(config, Json.write(taken));

            Run run = product.program("serve", "--config", config.toString());

            assertTrue(
                    run.exitCode() != 0
                            && run.err()
                                    .contains("cannot listen on 127.0.0.1:" + other.getLocalPort()
                                            + ", which is http.host:http.port: another program listens there"),
                    run::err);
            assertFalse(Files.exists(product.spawner()));
            assertFalse(Files.exists(product.runtime().resolve("http.sock")));
            assertFalse(Files.exists(spawned.socket()));
            product.serve();
            try (Wire captain = spawned.captain()) {
                captain.sendLine(Spawned.user("echo still here"));
                Frames frames = new Frames();
                frames.readUntilType(captain, "done");
                assertEquals("still here\n", frames.text());
            }
        }
    }

    @Test
    void shouldEndWorkersAndKeepRecordsWhenGatewayIsStopped() throws IOException {
        String mark = "brig-e2e-" + System.nanoTime();
        Spawned spawned = product.shell("exec -a " + mark + " sleep 1000 & echo up; wait");
        try (Wire captain = spawned.captain()) {
            new Frames().readUntilType(captain, "chunk");
            Await.until("the agent runs", () -> Processes.with(mark).size() == 1);
            product.stop();
        }
        assertEquals(List.of(), Processes.with(mark));
        Await.until("the worker-agent is gone", () -> product.workerAgents().isEmpty());
        assertFalse(Files.exists(product.spawner()));
        product.serve();
        try (Wire watcher = spawned.attach("watcher")) {
            Frames frames = new Frames().readAll(watcher);
            assertEquals("up\n", frames.text());
            assertEquals("shutdown", frames.last().text("reason"));
        }
    }
}
