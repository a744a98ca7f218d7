package brig.gateway.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.JsonObject;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;

/**
 * A provider that writes its own bill, by prices of its own, in billionths of a dollar. It answers with any usage that the
 * request allows, as Anthropic's API does, every second answer as a stream. Closing ends it.
 */
final class BilledModel implements AutoCloseable {
    /** What a token costs. */
    static final long OUTPUT = 10_000;

    static final long CACHED_FOR_AN_HOUR = 2_000;
    private static final long INPUT = 1_000;
    private static final long FROM_CACHE = 100;
    private static final long CACHED = 1_250;
    /** The same for a million tokens, in dollars. */
    private static final String PRICES = """
            {"date": "2026-11-26", "from": "the test", "providers": [{"id": "billed", "api": "http://127\\\\.0\\\\.0\\\\.1", "models": [
              {"id": "any", "match": {"regex": "."}, "periods": [{"usd": {
                "input": [{"price": 1}], "cacheRead": [{"price": 0.1}], "cacheWrite": [{"price": 1.25}],
                "cacheWriteHour": [{"price": 2}], "output": [{"price": 10}]}}]}]}]}
            """;

    private static final int BYTES_OF_A_TOKEN = 3;

    /** How many tokens of output it makes of what a request allows. */
    private final long timesAllowed;
    /** It answers none before so many clients have asked. */
    private final CountDownLatch everybody;

    private final CountDownLatch held = new CountDownLatch(1);
    private final CountDownLatch released = new CountDownLatch(1);
    private final AtomicLong billed = new AtomicLong();
    private final AtomicInteger answers = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpServer server;

    /** @param timesAllowed 0: some part of what a request allows; otherwise so many times all of it */
    BilledModel(int clients, long timesAllowed) throws IOException {
        this.everybody = new CountDownLatch(clients);
        this.timesAllowed = timesAllowed;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 500);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    /** Writes the prices of all models on this host's loopback. */
    static Path writePrices(Path folder) throws IOException {
        return Files.writeString(folder.resolve("prices.json"), PRICES);
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        JsonObject asked = JsonObject.read(body);
        everybody.countDown();
        await(everybody);
        if (asked.has("held")) {
            held.countDown();
            await(released);
        }
        byte[] answer = answer(asked, body.length).getBytes(UTF_8);
        answers.incrementAndGet();
        exchange.getResponseHeaders()
                .set("Content-Type", asked.has("stream") ? "text/event-stream" : "application/json");
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private String answer(JsonObject asked, int bytes) {
        RandomGenerator random = ThreadLocalRandom.current();
        long input = random.nextLong(bytes / BYTES_OF_A_TOKEN);
        long fromCache = random.nextLong(input + 1);
        long cached = random.nextLong(input - fromCache + 1);
        long hour = random.nextLong(cached + 1);
        long max = asked.number("max_tokens", 0);
        long output = timesAllowed == 0 ? 1 + random.nextLong(max) : max * timesAllowed;
        billed.addAndGet((input - fromCache - cached) * INPUT
                + fromCache * FROM_CACHE
                + (cached - hour) * CACHED
                + hour * CACHED_FOR_AN_HOUR
                + output * OUTPUT);
        String ofInput = "\"input_tokens\":" + (input - fromCache - cached) + ",\"cache_read_input_tokens\":"
                + fromCache
                + ",\"cache_creation_input_tokens\":" + cached + ",\"cache_creation\":{\"ephemeral_1h_input_tokens\":"
                + hour + "},\"output_tokens\":";
        return asked.has("stream")
                ? event("message_start", "\"message\":{\"model\":\"billed\",\"usage\":{" + ofInput + "1}}")
                        + event("message_delta", "\"usage\":{\"output_tokens\":" + output + "}")
                        + event("message_stop", "\"x\":0")
                : "{\"model\":\"billed\",\"usage\":{" + ofInput + output + "}}";
    }

    private static String event(String type, String content) {
        return "event: " + type + "\ndata: {\"type\":\"" + type + "\"," + content + "}\n\n";
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns when it holds a request that says {@code held}. */
    void awaitHeld() {
        await(held);
    }

    /** Answers what it holds. */
    void release() {
        released.countDown();
    }

    /** The bill. */
    long billed() {
        return billed.get();
    }

    int answers() {
        return answers.get();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
