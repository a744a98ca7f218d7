package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.http.HttpRequest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The same request more than once, on every way in. */
@Timeout(90)
class RepeatedRequestTest {
    private static Product product;

    private final String requestId = UUID.randomUUID().toString();
    private final String mark = "brig-e2e-" + System.nanoTime();

    @BeforeAll
    static void start() throws IOException {
        product = Product.start();
    }

    @AfterAll
    static void stop() throws IOException {
        product.close();
    }

    private String body(String prompt) {
        return "{\"request_id\":\"" + requestId + "\",\"agent_config\":{\"name\":\"shell\"},\"prompt\":\"" + prompt
                + "\"}";
    }

    private String body() {
        return body("exec -a " + mark + " sleep 1000 & wait");
    }

    private static Web.Answer post(HttpRequest.Builder request, String body) throws IOException {
        return product.web()
                .send(request.header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    private void end(String id) throws IOException {
        assertEquals(202, product.web().delete("/api/v1/spawns/" + id).status());
        Await.until("no process is left", () -> Processes.with(mark).isEmpty());
    }

    @Test
    void shouldStartOneWorkerWhenAHundredAskAtOnce() throws Exception {
        // Scenario: over HTTP fifty who wait and fifty who do not, and fifty on the spawner socket, each on its own
        // connection.
        Set<String> running = new HashSet<>();
        Set<String> begun = new HashSet<>();
        try (ExecutorService captains = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<JsonObject>> asked = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                asked.add(captains.submit(
                        () -> product.web().post("/api/v1/spawns", body()).json()));
                asked.add(captains.submit(() ->
                        product.web().post("/api/v1/spawns?wait=60s", body()).json()));
                asked.add(captains.submit(
                        () -> product.ask(body().replace("{\"request_id\"", "{\"action\":\"spawn\",\"request_id\""))));
            }
            for (Future<JsonObject> answer : asked) {
                JsonObject fields = answer.get();
                boolean runs = fields.text("status", "").equals("spawned");
                assertTrue(runs || fields.text("status", "").equals("requested"), fields::toString);
                (runs ? running : begun).add(fields.toString());
            }
        }
        assertEquals(1, running.size(), "one answer, tokens included");
        assertEquals(1, begun.size(), "one answer, tokens included");
        String named = begun.iterator().next().replaceFirst(", status=.*", "").substring(1);
        for (String field : named.split(", ", -1)) {
            assertTrue(running.iterator().next().contains(field), () -> field + " in " + running);
        }
        Await.until("the agent runs", () -> !Processes.with(mark).isEmpty());
        assertEquals(1, Processes.with(mark).size());
        assertEquals(1, product.database().column("spawn_id", requestId).size());
        end(product.database().column("spawn_id", requestId).getFirst());
    }

    @Test
    void shouldTakeTheHeaderForTheField() throws IOException {
        String plain = body().replace("\"request_id\":\"" + requestId + "\",", "");
        Web.Answer first =
                post(product.web().request("/api/v1/spawns").header("Idempotency-Key", "\"" + requestId + "\""), plain);
        assertEquals(202, first.status(), first.response()::body);
        assertEquals(
                first.response().body(),
                product.web().post("/api/v1/spawns", body()).response().body());
        assertEquals(
                first.response().body(),
                post(product.web().request("/api/v1/spawns").header("Idempotency-Key", requestId), body())
                        .response()
                        .body());

        Web.Answer two = post(
                product.web()
                        .request("/api/v1/spawns")
                        .header("Idempotency-Key", UUID.randomUUID().toString()),
                body());
        assertEquals(400, two.status());
        assertEquals("INVALID_FIELD", two.code());
        assertEquals(
                400,
                post(product.web().request("/api/v1/spawns").header("Idempotency-Key", "again"), plain)
                        .status());
        end(first.json().text("spawn_id", ""));
    }

    @Test
    void shouldRefuseAnotherRequestUnderTheSameId() throws IOException {
        Web.Answer first = product.web().post("/api/v1/spawns?wait=60s", body());
        assertEquals(201, first.status(), first.response()::body);
        Web.Answer other = product.web().post("/api/v1/spawns", body("exec -a " + mark + " sleep 2000 & wait"));
        assertEquals(422, other.status());
        assertEquals("IDEMPOTENCY_CONFLICT", other.code());
        assertEquals("application/problem+json", other.header("Content-Type"));
        end(first.json().text("spawn_id", ""));
    }

    @Test
    void shouldPrintTheFirstAnswerWhenTheCommandIsRepeated() throws IOException {
        String[] command = {
            "spawn",
            "--request-id",
            requestId.toUpperCase(java.util.Locale.ROOT),
            "--project",
            "shop",
            "--json",
            "shell",
            "--",
            "exec -a " + mark + " sleep 1000 & wait"
        };
        Run first = product.brig(command);
        assertEquals(0, first.exitCode(), first::err);
        assertEquals(first.out(), product.brig(command).out());
        assertEquals(
                "shop",
                product.ask("{\"action\":\"status\",\"id\":\"" + first.json().text("spawn_id", "") + "\"}")
                        .text("project"));
        Run wrong = product.brig("spawn", "--request-id", "again", "shell");
        assertEquals(125, wrong.exitCode());
        assertTrue(wrong.err().contains("--request-id"), wrong::err);
        end(first.json().text("spawn_id", ""));
    }

    @Test
    void shouldGiveTheFirstAnswerWhenTheGatewayRestarted() throws IOException {
        try (Product own = Product.start()) {
            String begun = own.web().post("/api/v1/spawns", body()).response().body();
            String running =
                    own.web().post("/api/v1/spawns?wait=60s", body()).response().body();
            own.kill();
            own.serve();
            assertEquals(
                    begun, own.web().post("/api/v1/spawns", body()).response().body());
            assertEquals(
                    running,
                    own.web().post("/api/v1/spawns?wait=60s", body()).response().body());
            assertEquals(1, Processes.with(mark).size());
        }
        Await.until("no process is left", () -> Processes.with(mark).isEmpty());
    }
}
