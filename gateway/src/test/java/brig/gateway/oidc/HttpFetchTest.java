package brig.gateway.oidc;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Requests to an issuer over real sockets of this host. */
@Timeout(60)
class HttpFetchTest {
    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final BlockingQueue<String> requests = new LinkedBlockingQueue<>();
    private HttpServer server;
    private String url;

    @BeforeEach
    void listen() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        url = "http://127.0.0.1:" + server.getAddress().getPort();
        answer("/plain", "{}".length());
        answer("/most", Fetch.BODY_BYTES_MAX);
        answer("/long", Fetch.BODY_BYTES_MAX + 1);
        server.createContext("/elsewhere", exchange -> {
            requests.add("elsewhere");
            exchange.getResponseHeaders().set("Location", url + "/plain");
            exchange.sendResponseHeaders(302, -1);
            exchange.close();
        });
        server.start();
    }

    private void answer(String path, int length) {
        server.createContext(path, exchange -> {
            requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " "
                    + exchange.getRequestHeaders().getFirst("Authorization") + " "
                    + exchange.getRequestHeaders().getFirst("Content-Type") + " "
                    + new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
            exchange.sendResponseHeaders(200, 0);
            try (OutputStream out = exchange.getResponseBody()) {
                out.write(" ".repeat(length).getBytes(StandardCharsets.UTF_8));
            } catch (IOException cut) {
                requests.add("cut");
            }
        });
    }

    @AfterEach
    void close() {
        server.stop(0);
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private Fetch.Answer ask(Function<Fetch, CompletionStage<Fetch.Answer>> request) throws Exception {
        CompletableFuture<Fetch.Answer> got = new CompletableFuture<>();
        vertx.runOnContext(now -> request.apply(new HttpFetch(vertx)).whenComplete((answer, failure) -> {
            if (failure == null) {
                got.complete(answer);
            } else {
                got.completeExceptionally(failure);
            }
        }));
        return got.get(30, TimeUnit.SECONDS);
    }

    private String failure(String to) {
        ExecutionException failure = assertThrows(ExecutionException.class, () -> ask(fetch -> fetch.get(to)));
        return String.valueOf(failure.getCause().getMessage());
    }

    @Test
    void shouldSendAFormAndTheClient() throws Exception {
        assertEquals(
                2,
                ask(fetch -> fetch.post(url + "/plain", "a=b+c", "Basic eA=="))
                        .body()
                        .length());
        assertEquals("POST /plain Basic eA== application/x-www-form-urlencoded a=b+c", requests.take());
        ask(fetch -> fetch.get(url + "/plain"));
        assertEquals("GET /plain null null ", requests.take());
    }

    @Test
    void shouldFollowNoRedirect() throws Exception {
        assertEquals(302, ask(fetch -> fetch.get(url + "/elsewhere")).status());
        assertEquals("elsewhere", requests.take());
        assertTrue(requests.isEmpty());
    }

    @Test
    void shouldReadNoMoreThanADocumentHas() throws Exception {
        assertEquals(
                Fetch.BODY_BYTES_MAX,
                ask(fetch -> fetch.get(url + "/most")).body().length());
        assertTrue(failure(url + "/long").contains("more than 262144 bytes"));
    }

    @Test
    void shouldSayWhyTheIssuerIsNotReached() {
        server.stop(0);
        assertTrue(failure(url + "/plain").contains("refused"));
    }
}
