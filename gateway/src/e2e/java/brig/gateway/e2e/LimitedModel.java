package brig.gateway.e2e;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;

/** A provider that refuses all requests for their rate until it is opened, in front of a model. Closing ends it. */
final class LimitedModel implements AutoCloseable {
    static final int RETRY_AFTER_SECONDS = 5;

    private static final String REFUSAL =
            "{\"type\":\"error\",\"error\":{\"type\":\"rate_limit_error\",\"message\":\"slow down\"}}";

    private final ScriptedModel model;
    private final AtomicInteger refused = new AtomicInteger();
    private final AtomicInteger taken = new AtomicInteger();
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient client = HttpClient.newHttpClient();
    private final HttpServer server;
    private volatile boolean open;

    LimitedModel(ScriptedModel model) throws IOException {
        this.model = model;
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 100);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void open() {
        open = true;
    }

    int refused() {
        return refused.get();
    }

    int taken() {
        return taken.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        byte[] body = exchange.getRequestBody().readAllBytes();
        boolean asks = exchange.getRequestMethod().equals("POST");
        if (asks && !open) {
            refused.incrementAndGet();
            exchange.getResponseHeaders().set("Retry-After", String.valueOf(RETRY_AFTER_SECONDS));
            answer(exchange, 429, "application/json", REFUSAL.getBytes(StandardCharsets.UTF_8));
            return;
        }
        taken.addAndGet(asks ? 1 : 0);
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(model.url() + exchange.getRequestURI()))
                    .method(exchange.getRequestMethod(), HttpRequest.BodyPublishers.ofByteArray(body))
                    .header("Content-Type", "application/json")
                    .build();
            HttpResponse<byte[]> said = client.send(request, HttpResponse.BodyHandlers.ofByteArray());
            answer(
                    exchange,
                    said.statusCode(),
                    said.headers().firstValue("content-type").orElse("text/plain"),
                    said.body());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static void answer(HttpExchange exchange, int status, String type, byte[] body) throws IOException {
        exchange.getResponseHeaders().set("Content-Type", type);
        exchange.sendResponseHeaders(status, body.length == 0 ? -1 : body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
        client.close();
    }
}
