package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What an operator is told: the numbers, and the lines of the log. */
@Timeout(120)
class MetricsTest {
    private static final Pattern OWN_ADDRESS = Pattern.compile("metrics at (http://\\S+)/metrics");
    /** More than what lies between an agent and a captain that does not read. */
    private static final String FLOOD = "head -c 40000000 /dev/zero | tr '\\0' x | fold -w 1000";

    private static String scrape(Product product) throws IOException {
        Web.Answer answer = product.web().get("/metrics");
        assertEquals(200, answer.status());
        assertEquals("text/plain; version=0.0.4; charset=utf-8", answer.header("Content-Type"));
        return answer.response().body();
    }

    private static double value(String metrics, String series) {
        return metrics.lines()
                .filter(line -> line.startsWith(series + " "))
                .findFirst()
                .map(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .orElseThrow(() -> new AssertionError(series + " is not in\n" + metrics));
    }

    @Test
    void shouldCountWhatHappenedAndNameNobody() throws IOException {
        try (Product product = Product.start()) {
            Spawned done = product.shell("echo said");
            try (Wire captain = done.captain();
                    Events watcher = product.web().events(done.id(), "")) {
                new Frames().readAll(captain);
                new Frames().readAll(watcher);
            }
            Spawned open = product.idle("some-task");
            try (Wire captain = open.captain()) {
                new Frames().readUntilType(captain, "state");
                String metrics = scrape(product);
                assertEquals(1, value(metrics, "brig_sessions{state=\"running\"}"));
                assertEquals(1, value(metrics, "brig_sessions_ended_total{state=\"terminated\"}"));
                assertEquals(2, value(metrics, "brig_spawn_seconds_count"));
                assertEquals(1, value(metrics, "brig_first_chunk_seconds_count"));
                assertEquals(1, value(metrics, "brig_subscribers{transport=\"unix\"}"));
                assertEquals(0, value(metrics, "brig_subscribers{transport=\"sse\"}"));
                double frames = value(metrics, "brig_frames_received_total");
                assertTrue(frames > 2, metrics);
                assertTrue(value(metrics, "brig_received_bytes_total") > 20 * frames, metrics);
                double sent = value(metrics, "brig_frames_sent_total{transport=\"sse\"}");
                assertTrue(sent > 1 && sent < frames, metrics);
                assertEquals(frames, value(metrics, "brig_frames_sent_total{transport=\"unix\"}"));
                assertEquals(1, value(metrics, "brig_limit_used{limit=\"workersMax\"}"));
                assertEquals(200, value(metrics, "brig_limit_max{limit=\"workersMax\"}"));
                assertTrue(value(metrics, "brig_store_seconds_count{store=\"database\"}") > 2, metrics);
                assertTrue(value(metrics, "brig_store_seconds_count{store=\"streams\"}") > 0, metrics);
                assertEquals(1, value(metrics, "brig_ready"));
                for (String name : List.of(
                        done.id(),
                        open.id(),
                        "some-task",
                        "spn_",
                        "uid:",
                        product.adminToken(),
                        open.captainToken(),
                        open.watcherToken())) {
                    assertFalse(metrics.contains(name), metrics);
                }
                scrapeAgainWithMoreSessions(product, metrics);
            }
        }
    }

    /** Every further session adds to the numbers, and none to the series. */
    private static void scrapeAgainWithMoreSessions(Product product, String before) throws IOException {
        for (int i = 0; i < 3; i++) {
            product.idle("another-" + i);
        }
        String after = scrape(product);
        assertEquals(4, value(after, "brig_sessions{state=\"running\"}"));
        assertEquals(series(before), series(after));
    }

    private static List<String> series(String metrics) {
        return metrics.lines()
                .filter(line -> !line.startsWith("#"))
                .map(line -> line.substring(0, line.lastIndexOf(' ')))
                .toList();
    }

    @Test
    @Tag("slow")
    void shouldCountPausesAndSlowCloses() throws IOException {
        // Scenario: a captain that reads nothing holds the worker back, until it is left for being slow. So is a
        // watcher on another way in.
        try (Product product = Product.start(Map.of("limits", Map.of("slowReaderMs", 3_000L)))) {
            Spawned spawned = product.spawn("shell", FLOOD, false);
            try (Wire captain = spawned.captain();
                    Wire watcher =
                            Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
                captain.message();
                watcher.send("GET /api/v1/sessions/" + spawned.id() + "/stream HTTP/1.1\r\nHost: 127.0.0.1\r\n"
                        + "Authorization: Bearer " + spawned.watcherToken() + "\r\n\r\n");
                String[] full = new String[1];
                Await.until("the queue is full", () -> {
                    full[0] = scrape(product);
                    return value(full[0], "brig_connections_full") > 0;
                });
                assertTrue(value(full[0], "brig_queue_bytes") > 100_000, full[0]);
                Await.until("it is left", () -> value(scrape(product), "brig_slow_closes_total") == 2);
                for (String role : List.of("CAPTAIN", "WATCHER")) {
                    Await.until(
                            "it is logged for a " + role,
                            () -> Files.readString(product.log())
                                    .lines()
                                    .anyMatch(line -> line.contains("SLOW_READER a subscriber is cut off")
                                            && line.contains(spawned.id())
                                            && line.contains("role=" + role)));
                }
                String metrics = scrape(product);
                assertTrue(value(metrics, "brig_paused_seconds_total") > 0, metrics);
                assertEquals(0, value(metrics, "brig_subscribers{transport=\"unix\"}"));
            }
        }
    }

    @Test
    void shouldAnswerAdminsAndOnTheAddressOfItsOwnEverybody() throws IOException {
        try (Product product =
                Product.start(Map.of("http", Map.of("port", 0L, "metricsHost", "127.0.0.1", "metricsPort", 0L)))) {
            Spawned spawned = product.idle("some-task");
            assertEquals(401, product.web().with("").get("/metrics").status());
            assertEquals(
                    403,
                    product.web().with(spawned.captainToken()).get("/metrics").status());
            Matcher said = OWN_ADDRESS.matcher(Files.readString(product.log()));
            assertTrue(said.find(), "its address is in the log");
            Web alone = new Web(said.group(1), "");
            assertEquals(1, value(alone.get("/metrics").response().body(), "brig_sessions{state=\"running\"}"));
            assertEquals(404, alone.get("/api/v1/status").status());
            assertEquals(
                    404, alone.with(product.adminToken()).get("/api/v1/spawns").status());
            assertEquals(405, alone.post("/metrics", "{}").status());
            assertEquals(401, product.web().with("").get("/metrics").status());
        }
    }

    @Test
    void shouldLogWhoStartedAndEndedWhatAsJson() throws IOException {
        try (Product product = Product.start(Map.of("log", Map.of("format", "json")))) {
            Spawned spawned = product.idle("some-task");
            product.ask("{\"action\":\"terminate\",\"id\":\"some-task\"}");
            Await.until("it ended", () -> spawned.view().text("state", "").equals("terminated"));
            List<JsonObject> lines = Files.readAllLines(product.log()).stream()
                    .map(line -> JsonObject.read(line.getBytes(StandardCharsets.UTF_8)))
                    .toList();
            for (String action : List.of("spawn", "terminate")) {
                JsonObject line = lines.stream()
                        .filter(one -> one.text("logger", "").equals("audit")
                                && one.text("message", "").equals(action))
                        .findFirst()
                        .orElseThrow();
                assertEquals(spawned.id(), line.text("spawn_id"));
                assertEquals("some-task", line.text("task_id"));
                assertEquals("shell", line.text("agent"));
                assertTrue(line.text("captain", "").matches("uid:\\d+"), () -> String.valueOf(line));
            }
            assertTrue(lines.stream()
                    .anyMatch(one -> one.text("state", "").equals("running->terminated")
                            && one.text("spawn_id", "").equals(spawned.id())));
        }
    }
}
