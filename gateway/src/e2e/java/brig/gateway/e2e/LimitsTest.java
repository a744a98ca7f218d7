package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Limits that are reached: a code, a hint when to come again, and nothing else happens. */
@Timeout(60)
class LimitsTest {
    private static final String SPAWN = "{\"action\":\"spawn\",\"agent_config\":{\"name\":\"shell\"}}";

    private static Product with(String limit, long value) throws IOException {
        return Product.start(Map.of("limits", Map.of(limit, value)));
    }

    private static void requireRefusal(String code, JsonObject answer) {
        assertEquals(code, answer.text("code"), () -> String.valueOf(answer));
        assertTrue(answer.number("retry_after_seconds", 0) > 0, () -> String.valueOf(answer));
    }

    @Test
    void shouldRefuseSpawnWhenAllWorkersAreInUse() throws IOException {
        try (Product product = with("workersMax", 1)) {
            Spawned first = new Spawned(product, product.ask(SPAWN));
            requireRefusal("MAX_WORKERS", product.ask(SPAWN));
            Web.Answer problem = product.web().post("/api/v1/spawns", "{\"agent_config\":{\"name\":\"shell\"}}");
            assertEquals(429, problem.status());
            assertEquals(
                    problem.header("Retry-After"), String.valueOf(problem.json().number("retry_after_seconds", 0)));
            requireRefusal("MAX_WORKERS", problem.json());
            try (Wire captain = first.captain()) {
                new Frames().readAll(captain.sendLine("{\"action\":\"terminate\"}"));
            }
            new Spawned(product, product.ask(SPAWN));
        }
    }

    @Test
    void shouldRefuseSpawnWhenCaptainHasItsShareOrHurries() throws IOException {
        // Scenario: Unix clients of one uid are one captain, the admin token is another; each has its own
        // share and pace.
        try (Product product =
                Product.start(Map.of("limits", Map.of("workersPerCaptainMax", 1L, "spawnCooldownMs", 0L)))) {
            new Spawned(product, product.ask(SPAWN));
            requireRefusal("MAX_WORKERS_PER_CAPTAIN", product.ask(SPAWN));
            assertEquals(
                    202,
                    product.web()
                            .post("/api/v1/spawns", "{\"agent_config\":{\"name\":\"shell\"}}")
                            .status());
        }
        try (Product product = with("spawnCooldownMs", 60_000)) {
            new Spawned(product, product.ask(SPAWN));
            requireRefusal("COOLDOWN", product.ask(SPAWN));
            assertEquals(
                    202,
                    product.web()
                            .post("/api/v1/spawns", "{\"agent_config\":{\"name\":\"shell\"}}")
                            .status());
        }
    }

    @Test
    void shouldSayThatTheProviderStartsNoMoreNowOrIsNotThere() throws IOException {
        String body = "{\"agent_config\":{\"name\":\"shell\"},\"provider\":\"%s\"}";
        try (Product product = Product.start(Map.of("worker", Map.of("startsPerSecondMax", 1L)))) {
            Web.Answer[] last = new Web.Answer[1];
            Await.until("two come within a second", () -> {
                last[0] = product.web().post("/api/v1/spawns", body.formatted("local"));
                return last[0].status() != 202;
            });
            assertEquals(429, last[0].status());
            requireRefusal("PROVIDER_RATE_LIMITED", last[0].json());
            Web.Answer transcripts = product.web().post("/api/v1/spawns", body.formatted("far"));
            assertEquals(400, transcripts.status(), "it will never succeed");
            assertEquals("", transcripts.header("Retry-After"));
            assertEquals("INVALID_FIELD", transcripts.code());
        }
    }

    @Test
    void shouldRefuseConnectionsAndReadersWhenThereAreTooMany() throws IOException {
        int most = 8;
        int readersMost = 4;
        try (Product product = Product.start(Map.of(
                "limits", Map.of("connectionsMax", (long) most, "subscriptionsPerStreamMax", (long) readersMost)))) {
            Spawned spawned = new Spawned(product, product.ask(SPAWN));
            List<Wire> open = new ArrayList<>();
            try {
                String refused = fill(spawned, open, readersMost);
                assertEquals("MAX_SUBSCRIPTIONS", refused);
                refused = fill(product, open, most);
                assertEquals("MAX_CONNECTIONS", refused);
                Web.Answer full = product.web().get("/api/v1/status");
                assertEquals(503, full.status());
                assertEquals("MAX_CONNECTIONS", full.code());
                assertEquals("application/problem+json", full.header("Content-Type"));
                requireRefusal("MAX_CONNECTIONS", full.json());
                assertEquals(
                        "pong",
                        open.getFirst()
                                .sendLine("{\"action\":\"ping\"}")
                                .message()
                                .text("type"));
            } finally {
                for (Wire wire : open) {
                    wire.close();
                }
            }
            Await.until("there is room again", () -> isTaken(product));
            assertEquals(200, product.web().get("/api/v1/status").status());
        }
    }

    private static boolean isTaken(Product product) {
        try {
            return product.ask("{\"action\":\"list\"}").has("spawns");
        } catch (IOException refusedBeforeItAsked) {
            return false;
        }
    }

    /** Attaches readers until one is refused, which is closed. */
    private static String fill(Spawned spawned, List<Wire> open, int most) throws IOException {
        for (int i = 0; i <= most; i++) {
            Wire wire = spawned.captain(1);
            JsonObject first = wire.message();
            if (first.has("code")) {
                requireRefusal(first.text("code"), first);
                wire.close();
                return first.text("code");
            }
            Frames frames = new Frames();
            frames.readUntilType(wire, "state");
            open.add(wire);
        }
        return "none";
    }

    /** Opens connections until one is refused. */
    private static String fill(Product product, List<Wire> open, int most) throws IOException {
        for (int i = 0; i <= most; i++) {
            Wire wire = product.dial();
            open.add(wire);
            try {
                wire.send("{\"action\":\"list\"}");
            } catch (IOException _) {
                // Refused and closed before it asked: then the refusal is there to be read.
            }
            JsonObject answer = wire.message();
            if (answer.has("code")) {
                requireRefusal(answer.text("code"), answer);
                return answer.text("code");
            }
        }
        return "none";
    }
}
