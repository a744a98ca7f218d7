package brig.gateway.e2e.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the fakes do wrong when they are told to, as a client without a vendor sees it. */
@Timeout(60)
class ProviderFaultsTest {
    @TempDir
    static Path folder;

    private static TestCertificate certificate;
    private static SSLContext trust;

    private final AtomicLong clockMs = new AtomicLong(1_000_000);
    private final HttpClient client = HttpClient.newBuilder().sslContext(trust).build();
    private FakeSprites sprites;

    @BeforeAll
    static void makeCertificate() throws Exception {
        certificate = TestCertificate.in(folder);
        TrustManagerFactory managers = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        managers.init(KeyStore.getInstance(certificate.keyStore().toFile(), TestCertificate.PASSWORD.toCharArray()));
        trust = SSLContext.getInstance("TLS");
        trust.init(null, managers.getTrustManagers(), null);
    }

    @BeforeEach
    void start() throws IOException {
        sprites = new FakeSprites(certificate, clockMs::get);
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        sprites.close();
    }

    private HttpResponse<String> send(String method, String path, String body) throws Exception {
        HttpRequest request = HttpRequest.newBuilder(URI.create(sprites.url() + "/v1/sprites" + path))
                .header("Authorization", "Bearer " + FakeProvider.TOKEN)
                .method(method, HttpRequest.BodyPublishers.ofString(body))
                .build();
        return client.send(request, HttpResponse.BodyHandlers.ofString());
    }

    private int create(String name) throws Exception {
        return send("POST", "", "{\"name\":\"" + name + "\"}").statusCode();
    }

    @Test
    void shouldRedirectToWhereNobodyMayGo() throws Exception {
        sprites.faults().always(Operation.LIST, Fault.REDIRECTED);
        HttpResponse<String> answer = send("GET", "?prefix=a", "");
        assertEquals(307, answer.statusCode());
        assertTrue(answer.headers().firstValue("Location").orElse("").startsWith("https://169.254.169.254/"));
        sprites.faults().none();
        assertEquals(200, send("GET", "?prefix=a", "").statusCode());
        assertEquals(1, sprites.faults().count(Fault.REDIRECTED));
        assertEquals(2, sprites.requests(Operation.LIST));
    }

    @Test
    void shouldRefuseTwiceThenLoseOnlyTheAnswer() throws Exception {
        sprites.faults().next(Operation.CREATE, Fault.RATE_LIMITED, Fault.LOST_BEFORE, Fault.LOST_AFTER);
        assertEquals(429, create("a"));
        assertThrows(IOException.class, () -> create("a"));
        assertEquals(List.of(), sprites.alive());
        assertThrows(IOException.class, () -> create("a"));
        assertEquals(List.of("a"), sprites.alive());
        sprites.faults().next(Operation.DESTROY, Fault.LOST_AFTER);
        assertThrows(IOException.class, () -> send("DELETE", "/a", ""));
        assertEquals(List.of(), sprites.alive());
        assertEquals(404, send("DELETE", "/a", "").statusCode());
        assertEquals(1, sprites.destroys());
    }

    @Test
    void shouldDoTheSameWrongForTheSameSeed() throws Exception {
        assertEquals(outcomes(7), outcomes(7));
        assertNotEquals(outcomes(7), outcomes(8));
    }

    private List<Integer> outcomes(long seed) throws Exception {
        sprites.faults().random(seed, 50, Fault.RATE_LIMITED, Fault.UNAVAILABLE, Fault.TOKEN_EXPIRED);
        List<Integer> outcomes = new ArrayList<>();
        for (int i = 0; i < 30; i++) {
            outcomes.add(send("GET", "", "").statusCode());
        }
        return outcomes;
    }

    @Test
    void shouldLeaveOthersSandboxesOutOfItsCounts() throws Exception {
        sprites.plant("brig-of-another-gateway", "gateway=other");
        assertEquals(200, send("GET", "/brig-of-another-gateway", "").statusCode());
        assertEquals(List.of(), sprites.alive());
        assertEquals(0, sprites.creates("gateway=other"));
        assertEquals(0, sprites.touchesOfForeign());
        assertEquals(
                200,
                send("PUT", "/brig-of-another-gateway", "{\"labels\":[\"mine\"]}")
                        .statusCode());
        assertEquals(1, sprites.touchesOfForeign());
    }

    @Test
    void shouldCutAWebSocketWithoutAWord() throws Exception {
        FakeSandbox.whyNot().ifPresent(why -> Assumptions.abort("no sandboxes: " + why));
        assertEquals(201, create("a"));
        sprites.faults().cutAfter(Operation.EXEC, 10_000);
        assertEquals("cut", endOf("/a/exec?cmd=yes"));
        sprites.faults().none();
        sprites.faults().cutEvery(Operation.EXEC, 50, 0);
        assertEquals("cut", endOf("/a/exec?cmd=yes"));
        sprites.faults().none();
        assertEquals("exit 1", endOf("/a/exec?cmd=false"));
        sprites.faults().always(Operation.EXEC, Fault.LOST_AFTER);
        assertEquals("cut", endOf("/a/exec?cmd=touch&cmd=there"));
        sprites.faults().none();
        assertEquals("exit 0", endOf("/a/exec?cmd=sh&cmd=-c&cmd=until%20%5B%20-e%20there%20%5D%3Bdo%20:%3Bdone"));
    }

    @Test
    void shouldLoseTheAnswerToAnUpload() throws Exception {
        FakeSandbox.whyNot().ifPresent(why -> Assumptions.abort("no sandboxes: " + why));
        assertEquals(201, create("a"));
        sprites.faults().next(Operation.UPLOAD, Fault.LOST_AFTER);
        assertThrows(IOException.class, () -> send("PUT", "/a/fs/write?path=/home/sprite/file", "all of it"));
        assertEquals(
                "all of it",
                send("GET", "/a/fs/read?path=file&workingDir=/home/sprite", "").body());
    }

    /** How a command's WebSocket ended, which was read to its end. */
    private String endOf(String path) throws Exception {
        CompletableFuture<String> end = new CompletableFuture<>();
        WebSocket.Listener listener = new WebSocket.Listener() {
            @Override
            public CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
                if (data.get(0) == 3) {
                    end.complete("exit " + data.get(1));
                }
                socket.request(1);
                return null;
            }

            @Override
            public CompletionStage<?> onClose(WebSocket socket, int code, String reason) {
                // The client's own number for an end without one.
                end.complete(code == 1006 ? "cut" : "closed with " + code);
                return null;
            }

            @Override
            public void onError(WebSocket socket, Throwable failure) {
                end.complete("cut");
            }
        };
        WebSocket socket = client.newWebSocketBuilder()
                .header("Authorization", "Bearer " + FakeProvider.TOKEN)
                .buildAsync(URI.create(sprites.url().replace("https", "wss") + "/v1/sprites" + path), listener)
                .join();
        String said = end.get();
        socket.abort();
        return said;
    }
}
