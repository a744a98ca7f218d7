package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A session that does not run yet, as those see it who want to attach; and the log of one from beginning to end. */
@Timeout(90)
class NotReadyTest {
    private static final Pattern TRANSITION = Pattern.compile(".* request_id=(\\S+) provider=local spawn_id=(\\S+)"
            + " session_id=- task_id=\\S+ state=(\\S+) duration_ms=\\d+");

    @Test
    void shouldSayWhenToComeAgainAndLetInWhoWaits() throws Exception {
        // Scenario: the request is kept from the worker-agent, so the spawn stays in "spawning" as long as the test
        // wants.
        try (Product product = Product.prepare(Map.of())) {
            Path back = product.folder().resolve("b");
            Process workerAgent = product.startWorkerAgent(back);
            Path control = back.resolve("w/link.sock");
            Await.until("the worker-agent listens", () -> Files.exists(control));
            Path front = Files.createDirectories(
                    product.runtime().resolve("w"),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            try (Relay relay = new Relay(front.resolve("link.sock"), control)) {
                product.serve();
                Relay.Hold hold = relay.before((from, line) -> "spawn".equals(line.text("op", "")));
                String requestId = UUID.randomUUID().toString();
                Web web = product.web();
                String body = "{\"task_id\":\"slow\",\"agent_config\":{\"name\":\"shell\"},\"prompt\":\"echo up\","
                        + "\"once\":true,\"request_id\":\"" + requestId + "\"}";
                Web.Answer begun = web.post("/api/v1/spawns", body);
                assertEquals(202, begun.status(), begun.response()::body);
                assertEquals("requested", begun.json().text("status"));
                String id = begun.json().text("spawn_id", "");
                assertEquals("/api/v1/spawns/" + id, begun.header("Location"));
                assertEquals(
                        begun.response().body(),
                        web.post("/api/v1/spawns?wait=1s", body).response().body(),
                        "who waits in vain is told the same");
                CompletableFuture<Web.Answer> spawned = CompletableFuture.supplyAsync(() -> post(web, body));
                hold.await();
                assertEquals("spawning", web.get("/api/v1/spawns/" + id).json().text("state"));
                String expected =
                        "{\"success\":false,\"code\":\"SESSION_NOT_READY\",\"state\":\"spawning\",\"spawn_id\":\"" + id
                                + "\",\"session_id\":null,\"retry_after_seconds\":5}";

                for (String path : List.of("/slow/stream", "/" + id + "/stream", "/slow/attach")) {
                    Web.Answer early = web.get("/api/v1/sessions" + path);
                    assertEquals(409, early.status());
                    assertEquals(expected, early.response().body());
                    assertEquals("5", early.header("Retry-After"));
                    assertEquals("application/problem+json", early.header("Content-Type"));
                }
                Run attach = product.brig("attach", "--json", "slow");
                assertEquals(3, attach.exitCode());
                assertEquals(expected, attach.out().strip());
                JsonObject line = product.ask("{\"action\":\"attach\",\"id\":\"slow\"}");
                assertEquals("SESSION_NOT_READY", line.text("code"));
                assertEquals("spawning", line.text("state"));

                CompletableFuture<Run> waiting = CompletableFuture.supplyAsync(() -> run(product));
                hold.release();
                assertEquals(
                        201,
                        spawned.join().status(),
                        () -> spawned.join().response().body());
                assertEquals("spawned", spawned.join().json().text("status"));
                assertEquals("up\n", waiting.join().out());
                assertEquals(0, waiting.join().exitCode());

                Await.until("its end is logged", () -> transitions(product, id).size() == 3);
                assertEquals(
                        List.of(
                                requestId + " requested->spawning",
                                requestId + " spawning->running",
                                requestId + " running->terminated"),
                        transitions(product, id));
                assertTrue(web.get("/api/v1/sessions/nobody/stream").status() == 404);
            } finally {
                workerAgent.destroyForcibly();
            }
        }
    }

    private static List<String> transitions(Product product, String spawnId) throws java.io.IOException {
        return Files.readAllLines(product.log()).stream()
                .map(TRANSITION::matcher)
                .filter(line -> line.matches() && line.group(2).equals(spawnId))
                .map(line -> line.group(1) + " " + line.group(3))
                .toList();
    }

    private static Web.Answer post(Web web, String body) {
        try {
            return web.post("/api/v1/spawns?wait=60s", body);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static Run run(Product product) {
        try {
            return product.brig("attach", "--wait", "slow");
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }
}
