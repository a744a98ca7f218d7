package brig.gateway.provider.http;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.e2e.provider.TestCertificate;
import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.ProviderFailure.Kind;
import brig.gateway.provider.websocket.WebSocket;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServer;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.net.PfxOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Requests over real TLS to a server that misbehaves. */
@Timeout(60)
class ApiClientTest {
    private static final String KEY = "the-key";
    private static final int PIECE = 32 * 1024;
    /** More than all sockets in between hold. */
    private static final int MUCH = 256 * 1024 * 1024;

    @TempDir
    static Path folder;

    private static TestCertificate certificate;

    private final Vertx vertx = Vertx.vertx(new VertxOptions().setEventLoopPoolSize(1));
    private final Queue<String> requests = new ConcurrentLinkedQueue<>();
    private final AtomicInteger sent = new AtomicInteger();
    private HttpServer server;
    private Executor loop;

    @BeforeAll
    static void makeCertificate() throws Exception {
        certificate = TestCertificate.in(folder);
    }

    @BeforeEach
    void listen() throws Exception {
        Context context = vertx.getOrCreateContext();
        loop = task -> context.runOnContext(now -> task.run());
        server = vertx.createHttpServer(new HttpServerOptions()
                .setSsl(true)
                .setKeyCertOptions(new PfxOptions()
                        .setPath(certificate.keyStore().toString())
                        .setPassword(TestCertificate.PASSWORD)));
        server.requestHandler(this::answer);
        server.listen(0, "0.0.0.0").toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        Files.writeString(folder.resolve("key"), KEY);
    }

    @AfterEach
    void close() {
        vertx.close().toCompletionStage().toCompletableFuture().join();
    }

    private void answer(HttpServerRequest request) {
        requests.add(request.method() + " " + request.uri() + " " + request.getHeader("Authorization") + " "
                + request.getHeader("Host"));
        switch (request.path()) {
            case "/address" -> request.response().end(request.localAddress().hostAddress());
            case "/good" -> request.response().end("{}");
            case "/large" -> request.response().end(Buffer.buffer(new byte[Exchange.BODY_BYTES_MAX + 1]));
            case "/head" ->
                request.response().putHeader("X-Long", "x".repeat(100_000)).end();
            case "/short" ->
                request.response()
                        .putHeader("Content-Length", "10")
                        .write("12345")
                        .onComplete(written -> request.connection().close());
            case "/echoes" -> request.response().setStatusCode(401).end(request.getHeader("Authorization"));
            case "/pours" -> request.toWebSocket().onSuccess(this::pour);
            case "/deaf" -> request.toWebSocket().onSuccess(ServerWebSocket::pause);
            default -> {
                // No answer.
            }
        }
    }

    /** Sends one piece after the other was taken. */
    private void pour(ServerWebSocket socket) {
        if (sent.addAndGet(PIECE) < MUCH) {
            socket.writeBinaryMessage(Buffer.buffer(new byte[PIECE])).onSuccess(taken -> pour(socket));
        }
    }

    /** Waits until nothing more is taken. @return how much was */
    private static int untilHeldUp(AtomicInteger bytes) throws InterruptedException {
        int before;
        do {
            before = bytes.get();
            Thread.sleep(1000);
        } while (bytes.get() != before || before == 0);
        return before;
    }

    private ApiClient client(String url, @Nullable Path roots, String... networks) {
        return new ApiClient(
                ApiSettings.of(url, folder.resolve("key"), roots, List.of(networks)),
                key -> Map.of("Authorization", "Bearer " + key),
                name -> new InetAddress[] {InetAddress.ofLiteral(name.equals("localhost") ? "127.0.0.3" : "10.0.0.1")},
                vertx,
                loop,
                Thread::startVirtualThread);
    }

    private ApiClient good() {
        return client(url("127.0.0.1"), certificate.pem(), "127.0.0.0/8");
    }

    private String url(String host) {
        return "https://" + host + ":" + server.actualPort();
    }

    private static ApiCall get(ApiClient client, String path) {
        return ApiCall.of(client.server(), "GET", path);
    }

    private static ApiAnswer ask(ApiClient client, ApiCall call) throws Exception {
        return client.send(call).toCompletableFuture().get(50, TimeUnit.SECONDS);
    }

    private static ProviderFailure failure(ApiClient client, String path) {
        return failure(client, get(client, path));
    }

    private static ProviderFailure failure(ApiClient client, ApiCall call) {
        ExecutionException failure = assertThrows(ExecutionException.class, () -> ask(client, call));
        return (ProviderFailure) failure.getCause();
    }

    @Test
    void shouldSendTheKey() throws Exception {
        ApiClient client = good();
        assertEquals(200, ask(client, get(client, "/good")).status());
        ask(client, get(client, "/good").withoutKey());
        String host = "127.0.0.1:" + server.actualPort();
        assertEquals(List.of("GET /good Bearer the-key " + host, "GET /good null " + host), List.copyOf(requests));
    }

    /** Scenario: the name has one address when it is judged, and this host's resolver has another for it. */
    @Test
    void shouldDialTheAddressThatWasJudged() throws Exception {
        ApiClient client = client(url("localhost"), certificate.pem(), "127.0.0.3/32");
        assertEquals(
                "127.0.0.3", new String(ask(client, get(client, "/address")).body()));
    }

    @Test
    void shouldDialNoAddressInside() {
        ApiClient client = client(url("127.0.0.1"), certificate.pem());
        assertEquals(Kind.UNTRUSTED, failure(client, "/good").kind());
        ApiClient named = client(url("api.example.com"), certificate.pem(), "127.0.0.0/8");
        assertEquals(Kind.UNTRUSTED, failure(named, "/good").kind());
        assertTrue(requests.isEmpty());
    }

    @Test
    void shouldTrustNoOtherCertificate() {
        assertEquals(
                Kind.UNTRUSTED,
                failure(client(url("127.0.0.1"), null, "127.0.0.0/8"), "/good").kind());
        ProviderFailure otherName = failure(client(url("127.0.0.2"), certificate.pem(), "127.0.0.0/8"), "/good");
        assertEquals(Kind.UNTRUSTED, otherName.kind(), otherName::getMessage);
        assertTrue(requests.isEmpty());
    }

    @Test
    void shouldTellWhatWasNotReachedFromWhatWasLost() throws Exception {
        ApiClient client = good();
        assertEquals(
                Kind.LOST, failure(client, get(client, "/silent").within(300)).kind());
        assertEquals(Kind.LOST, failure(client, "/short").kind());
        server.close().toCompletionStage().toCompletableFuture().get(30, TimeUnit.SECONDS);
        assertEquals(Kind.UNREACHED, failure(client, "/good").kind());
    }

    @Test
    void shouldBoundAnswers() {
        ApiClient client = good();
        assertTrue(failure(client, "/large").getMessage().contains("more than"));
        assertEquals(Kind.LOST, failure(client, "/head").kind());
    }

    @Test
    void shouldNotSayTheKey() {
        ProviderFailure refused = failure(good(), "/echoes");
        assertEquals("HTTP 401: Bearer …", refused.getMessage());
        assertFalse(refused.toString().contains(KEY));
    }

    @Test
    void shouldTakeAFileWithCertificatesOnly() throws Exception {
        Path none = Files.writeString(folder.resolve("none.pem"), "nothing");
        assertThrows(IllegalArgumentException.class, () -> client(url("127.0.0.1"), none));
        assertThrows(IllegalArgumentException.class, () -> client(url("127.0.0.1"), folder.resolve("missing.pem")));
    }

    /** Scenario: nobody reads here, so the server must be held up and nothing pile up. */
    @Test
    void shouldHoldUpAServerThatIsNotRead() throws Exception {
        ApiClient client = good();
        try (WebSocket socket = client.webSocket(get(client, "/pours"))) {
            assertTrue(untilHeldUp(sent) < MUCH);
            assertEquals(PIECE, Objects.requireNonNull(socket.read()).bytes().length);
        }
    }

    /** Scenario: the server does not read, so who writes here must wait. */
    @Test
    @Tag("slow")
    void shouldHoldUpAWriterThatIsNotRead() throws Exception {
        ApiClient client = good();
        AtomicInteger written = new AtomicInteger();
        WebSocket socket = client.webSocket(get(client, "/deaf"));
        Thread writing = Thread.startVirtualThread(() -> {
            try {
                while (written.get() < MUCH) {
                    socket.binary(new byte[PIECE]);
                    written.addAndGet(PIECE);
                }
            } catch (IOException closed) {
                return;
            }
        });
        assertTrue(untilHeldUp(written) < MUCH);
        socket.close();
        writing.join();
    }
}
