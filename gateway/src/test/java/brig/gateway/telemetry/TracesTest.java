package brig.gateway.telemetry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class TracesTest {
    private static final long BEGIN_MS = 1_767_225_600_000L;

    private final long[] nowNanos = {5};
    private final LinkedBlockingQueue<byte[]> received = new LinkedBlockingQueue<>();

    private Traces to(String endpoint) {
        return new Traces(endpoint, () -> BEGIN_MS, () -> nowNanos[0]);
    }

    private void trace(SpawnTrace trace, String error) {
        trace.attribute("brig.spawn_id", "spn_1");
        trace.step("check");
        nowNanos[0] += 1_000;
        trace.step("worker");
        nowNanos[0] += 20_000;
        trace.end(error);
    }

    private static JsonNode spans(byte[] body) throws IOException {
        return new ObjectMapper().readTree(body).at("/resourceSpans/0/scopeSpans/0/spans");
    }

    @Test
    void shouldSendTheStepsOfASpawnToTheCollector() throws Exception {
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/v1/traces", exchange -> {
            received.add(exchange.getRequestBody().readAllBytes());
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        try {
            trace(
                    to("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces")
                            .begin(),
                    null);
            JsonNode spans = spans(received.poll(20, TimeUnit.SECONDS));
            assertEquals(3, spans.size());
            JsonNode spawn = spans.get(0);
            assertEquals("spawn", spawn.path("name").asText());
            assertEquals(BEGIN_MS + "000000", spawn.path("startTimeUnixNano").asText());
            assertEquals(BEGIN_MS + "021000", spawn.path("endTimeUnixNano").asText());
            assertEquals("spn_1", spawn.at("/attributes/0/value/stringValue").asText());
            assertTrue(spawn.path("traceId").asText().matches("[0-9a-f]{32}"));
            JsonNode worker = spans.get(2);
            assertEquals("worker", worker.path("name").asText());
            assertEquals(BEGIN_MS + "001000", worker.path("startTimeUnixNano").asText());
            assertEquals(BEGIN_MS + "021000", worker.path("endTimeUnixNano").asText());
            assertEquals(spawn.path("spanId"), worker.path("parentSpanId"));
            assertEquals(spawn.path("traceId"), worker.path("traceId"));
        } finally {
            collector.stop(0);
        }
    }

    /** Scenario: a collector takes requests and does not answer; then it does. */
    @Test
    void shouldLeaveOutTracesThatACollectorDoesNotTake() throws Exception {
        CountDownLatch answers = new CountDownLatch(1);
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        ExecutorService threads = Executors.newCachedThreadPool();
        collector.setExecutor(threads);
        collector.createContext("/", exchange -> {
            received.add(exchange.getRequestBody().readAllBytes());
            awaitUninterruptibly(answers);
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
        });
        collector.start();
        try {
            Traces traces = to("http://127.0.0.1:" + collector.getAddress().getPort());
            for (int i = 0; i < 20; i++) {
                trace(traces.begin(), "early");
            }
            for (int i = 0; i < 16; i++) {
                assertTrue(new String(received.poll(20, TimeUnit.SECONDS), StandardCharsets.UTF_8).contains("early"));
            }
            answers.countDown();
            byte[] next = null;
            while (next == null) {
                trace(traces.begin(), "late");
                next = received.poll(10, TimeUnit.MILLISECONDS);
            }
            assertTrue(new String(next, StandardCharsets.UTF_8).contains("late"), "16 at once, and no more");
        } finally {
            collector.stop(0);
            threads.shutdownNow();
        }
    }

    private static void awaitUninterruptibly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void shouldSayWhatAStartCameToNothingWith() throws IOException {
        Traces traces = to("http://127.0.0.1:9/v1/traces");
        byte[][] sent = new byte[1][];
        SpawnTrace failed =
                new SpawnTrace(BEGIN_MS, () -> nowNanos[0], finished -> sent[0] = Json.write(traces.export(finished)));
        trace(failed, "MAX_WORKERS");
        JsonNode status = spans(sent[0]).get(0).path("status");
        assertEquals(2, status.path("code").asInt());
        assertEquals("MAX_WORKERS", status.path("message").asText());
    }

    @Test
    void shouldKeepNothingWhereNobodyWantsIt() {
        SpawnTrace none = to("").begin();
        assertSame(none, to("").begin());
        trace(none, null);
    }
}
