package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import brig.workeragent.AskReport;
import brig.workeragent.RealAgents;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What all real programs and their sub-agents ask at once, with a gateway that is killed and then a worker-agent that is.
 * Each program starts once for itself and once for its sub-agent. {@link AskReport} has the table of it.
 */
@Timeout(300)
@Order(1)
@Tag("slow")
class RealAsksTest {
    private static final Path SHIPPED = Path.of(System.getProperty("brig.product", "build/brig"), "config/agents")
            .toAbsolutePath();
    private static final String RUN = "shell:touch file; echo ran-$((6 * 7))";

    /** The session of a program, and how far its frames were read. */
    private record Session(String agent, boolean child, Spawned spawned, Frames frames) {
        Wire captain() throws IOException {
            return spawned.captain(frames.next());
        }

        JsonObject next(String type) throws IOException {
            try (Wire wire = captain()) {
                return frames.readUntilType(wire, type).last();
            }
        }
    }

    private final AskReport report = new AskReport();
    private Product product;

    @BeforeEach
    void start() throws IOException {
        RealAgents.ALL.forEach(RealAgents::require);
        product = Product.prepare(Map.of());
        for (String agent : RealAgents.ALL) {
            RealAgents.install(
                    SHIPPED, product.agents(), agent, Map.of("permissions", "ask", "asks", Map.of("waitMs", 300_000L)));
        }
        product.with("NODE_PATH=" + RealAgents.places()).serve();
    }

    @AfterEach
    void stop() throws IOException {
        report.write();
        if (product != null) {
            product.close();
        }
    }

    private Session spawn(String agent, boolean child) throws IOException {
        Spawned spawned = product.spawn(agent, RealAgents.prompt(agent, child, RUN), false);
        return new Session(agent, child, spawned, new Frames());
    }

    private List<JsonObject> asks() throws IOException {
        return product.web().get("/api/v1/asks").json().objects("asks");
    }

    private void allow(JsonObject ask) throws IOException {
        assertEquals(
                200,
                product.web()
                        .post("/api/v1/asks/" + ask.text("ask_id"), "{\"option\":\"allow\"}")
                        .status());
    }

    private static void assertRan(Session session) throws IOException {
        assertEquals(
                0,
                session.next("done").number("exit_code", -1),
                () -> String.valueOf(session.frames().lines()));
        assertTrue(
                session.frames().lines().stream().anyMatch(line -> line.contains("ran-42")),
                () -> String.valueOf(session.frames().lines()));
    }

    private void told(List<Session> sessions, String what, String outcome, long start) {
        long millis = (System.nanoTime() - start) / 1_000_000;
        sessions.forEach(session -> report.add(session.agent(), session.child(), what, outcome, millis));
    }

    @Test
    void shouldKeepAllAsksWithoutTheGatewayAndLeaveNoneWithoutTheWorkerAgent() throws IOException {
        List<Session> sessions = new ArrayList<>();
        for (String agent : RealAgents.ALL) {
            sessions.add(spawn(agent, false));
            sessions.add(spawn(agent, true));
        }
        for (Session session : sessions) {
            session.next("ask");
        }
        keepsAllWithoutTheGateway(sessions);
        for (Session session : sessions) {
            try (Wire wire = session.captain()) {
                wire.sendLine(Spawned.user(RealAgents.prompt(session.agent(), session.child(), RUN)));
                session.frames().readUntilType(wire, "message");
            }
        }
        for (Session session : sessions) {
            session.next("ask");
        }
        leavesNoneWithoutTheWorkerAgent(sessions);
    }

    private void keepsAllWithoutTheGateway(List<Session> sessions) throws IOException {
        Await.until("all ask", () -> asks().size() == sessions.size());
        List<JsonObject> before = asks();
        long start = System.nanoTime();
        product.kill();
        product.serve();
        Await.until("all ask", () -> asks().size() == sessions.size());
        assertEquals(before, asks());
        for (JsonObject ask : before) {
            allow(ask);
        }
        for (Session session : sessions) {
            assertRan(session);
        }
        assertEquals(List.of(), asks());
        told(sessions, "gateway killed and restarted", "the same ask, allowed then, the tool ran", start);
    }

    private void leavesNoneWithoutTheWorkerAgent(List<Session> sessions) throws IOException {
        long start = System.nanoTime();
        product.workerAgents().getFirst().destroyForcibly();
        for (Session session : sessions) {
            assertEquals("WORKER_LOST", session.next("error").text("code"));
            try (Wire wire = session.captain()) {
                session.frames().readAll(wire);
            }
        }
        assertEquals(List.of(), asks());
        Session next = spawnAgain();
        next.next("ask");
        allow(asks().getFirst());
        assertRan(next);
        told(sessions, "worker-agent killed", "WORKER_LOST, no ask is left, the next session asks", start);
    }

    /** The new worker-agent may not listen yet; that refusal says to come again. */
    private Session spawnAgain() throws IOException {
        List<Session> spawned = new ArrayList<>();
        Await.until("a spawn is accepted again", () -> {
            JsonObject answer = product.ask("{\"action\":\"spawn\",\"agent_config\":{\"name\":\"codex\"},"
                    + "\"prompt\":\"" + RealAgents.prompt("codex", false, RUN) + "\"}");
            if (answer.text("code", "").endsWith("_UNAVAILABLE")) {
                return false;
            }
            return spawned.add(new Session("codex", false, new Spawned(product, answer), new Frames()));
        });
        return spawned.getFirst();
    }
}
