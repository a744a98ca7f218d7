package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.time.Instant;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Workers that are to end with their captain. */
@Timeout(90)
class LeaseTest {
    private static final int LEASE_SECONDS = 3;

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

    private static Spawned spawn(String script) throws IOException {
        return new Spawned(
                product,
                product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"}," + "\"lease_seconds\":"
                        + LEASE_SECONDS + ",\"prompt\":\"" + script + "\"}"));
    }

    private static String mark() {
        return "brig-e2e-" + System.nanoTime();
    }

    @Test
    void shouldLeaveNoWorkerWhenTheCaptainIsKilled() throws Exception {
        // Scenario: the captain is a process of its own, attached to a worker that works; SIGKILL gives it no time.
        // Another
        // captain holds the worker while that process starts.
        String mark = mark();
        Spawned spawned = spawn("exec -a " + mark + " sleep 1000");
        Process captain;
        try (Wire first = spawned.captain()) {
            assertTrue(first.line().contains("authenticated"));
            captain = new ProcessBuilder(product.command("attach", spawned.id()))
                    .redirectOutput(product.folder().resolve("attach.log").toFile())
                    .start();
            Await.until("both are there", () -> spawned.view().number("readers", 0) == 2);
            Await.until("the agent runs", () -> Processes.with(mark).size() == 1);
        }
        captain.destroyForcibly().waitFor();
        Await.until("no agent is left", () -> Processes.with(mark).isEmpty());
        try (Wire watcher = spawned.attach("watcher")) {
            assertEquals("captain_gone", new Frames().readAll(watcher).last().text("reason"));
        }
    }

    @Test
    void shouldKeepTheWorkerWhenTheCaptainComesBackAfterARestart() throws IOException {
        // Scenario: the gateway is killed and starts again; the captain lives and connects as soon as it can. The
        // worker waits for a file, which comes when its lease would be over twice.
        Spawned spawned = spawn("echo up; until [ -e go ]; do sleep 0.05; done; echo still here");
        try (Wire captain = spawned.captain()) {
            new Frames().readUntilType(captain, "chunk");
            product.kill();
        }
        product.serve();
        // From the beginning: what the one that was killed had not stored yet comes again.
        Frames frames = new Frames();
        try (Wire captain = spawned.captain()) {
            Instant end = Instant.now().plusSeconds(2 * LEASE_SECONDS);
            Await.until("the lease would be over", () -> Instant.now().isAfter(end));
            Files.createFile(spawned.workspace().resolve("go"));
            frames.readUntilType(captain, "done");
        }
        assertEquals("up\nstill here\n", frames.text());
        Await.until(
                "nobody holds it any more",
                () -> spawned.view().text("state", "").equals("terminated"));
    }

    @Test
    void shouldEndWhatNobodyTakesUpAfterARestart() throws IOException {
        String mark = mark();
        Spawned spawned = spawn("exec -a " + mark + " sleep 1000");
        try (Wire captain = spawned.captain()) {
            captain.line();
            Await.until("the agent runs", () -> Processes.with(mark).size() == 1);
            product.kill();
        }
        assertEquals(1, Processes.with(mark).size());
        product.serve();
        Await.until("no agent is left", () -> Processes.with(mark).isEmpty());
        Await.until(
                "the session is over", () -> spawned.view().text("state", "").equals("terminated"));
    }
}
