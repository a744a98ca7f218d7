package brig.gateway.webhook;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Notices over real sockets of this host. */
@Timeout(60)
class HttpPostTest {
    private static final byte[] BODY = "{\"type\":\"ask\"}".getBytes(StandardCharsets.UTF_8);

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private HttpServer server;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(Runnable::run);
        server.start();
    }

    @AfterEach
    void close() {
        server.stop(0);
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void answer(String path, HttpHandler answer) {
        server.createContext(path, exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Brig-Timestamp") + " "
                    + exchange.getRequestHeaders().getFirst("Brig-Signature") + " "
                    + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            answer.handle(exchange);
        });
    }

    private static void status(HttpExchange exchange, int status) throws IOException {
        exchange.sendResponseHeaders(status, -1);
        exchange.close();
    }

    private int send(String path) throws Exception {
        return send(server.getAddress().getPort(), path);
    }

    private int send(int port, String path) throws Exception {
        CompletableFuture<Integer> status = new CompletableFuture<>();
        vertx.runOnContext(now -> new HttpPost(vertx, "http://127.0.0.1:" + port + path)
                .send(BODY, "17", "v1=ab")
                .whenComplete((done, failure) -> {
                    if (failure == null) {
                        status.complete(done);
                    } else {
                        status.completeExceptionally(failure);
                    }
                }));
        return status.get(30, TimeUnit.SECONDS);
    }

    @Test
    void shouldPostTheBodyWithItsSignature() throws Exception {
        answer("/hook", exchange -> status(exchange, 204));
        assertEquals(204, send("/hook?a=b"));
        assertEquals("POST /hook?a=b 17 v1=ab application/json {\"type\":\"ask\"}", requests.remove());
    }

    @Test
    void shouldNotGoWhereItIsRedirected() throws Exception {
        answer("/other", exchange -> status(exchange, 200));
        answer("/hook", exchange -> {
            exchange.getResponseHeaders().add("Location", "/other");
            status(exchange, 307);
        });
        assertEquals(307, send("/hook"));
        assertEquals(1, requests.size());
    }

    @Test
    void shouldNotReadAnAnswerWithoutEnd() throws Exception {
        answer("/hook", exchange -> {
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream endless = exchange.getResponseBody()) {
                byte[] part = new byte[8192];
                while (true) {
                    endless.write(part);
                }
            } catch (IOException cut) {
                requests.add("cut");
            }
        });
        assertEquals(200, send("/hook"));
        requests.remove();
        assertEquals("cut", requests.poll(30, TimeUnit.SECONDS));
    }

    @Test
    void shouldFailWhereNobodyListens() throws IOException {
        int port = server.getAddress().getPort();
        server.stop(0);
        ExecutionException failure = assertThrows(ExecutionException.class, () -> send(port, "/hook"));
        assertInstanceOf(IOException.class, failure.getCause());
    }

    @Test
    void shouldNotWaitForASilentServer() {
        answer("/hook", exchange -> {});
        ExecutionException failure = assertThrows(ExecutionException.class, () -> send("/hook"));
        assertInstanceOf(TimeoutException.class, failure.getCause());
        assertTrue(failure.getMessage().contains(HttpPost.TIMEOUT_MS + " ms"));
    }
}
