package brig.gateway.e2e.provider;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.WebSocketClient;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import io.vertx.core.net.PemTrustOptions;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** {@link FakeOpenSandbox} is what the vendor's own client takes for OpenSandbox. */
@Timeout(120)
class OpenSandboxClientTest {
    private static final int MUCH = 3_000_000;
    /** A server of one kind of HTTP and of one kind of WebSocket, which sends back what comes. */
    private static final String SERVER = """
            use IO::Socket::INET;
            use Digest::SHA qw(sha1_base64);
            my $l = IO::Socket::INET->new(Listen => 5, LocalAddr => '127.0.0.1:7777') or die;
            $| = 1;
            print "listening\\n";
            while (my $c = $l->accept) {
                next if fork;
                my $head = '';
                while (<$c>) { last if /^\\r\\n$/; $head .= $_ }
                if ($head =~ /^Sec-WebSocket-Key: (\\S+)/mi) {
                    my $key = sha1_base64($1 . '258EAFA5-E914-47DA-95CA-C5AB0DC85B11') . '=';
                    print $c "HTTP/1.1 101 x\\r\\nUpgrade: websocket\\r\\nConnection: Upgrade\\r\\nSec-WebSocket-Accept: $key\\r\\n\\r\\n";
                    $c->flush;
                    while (read $c, my $b, 2) {
                        my ($first, $length) = unpack 'CC', $b;
                        $length &= 127;
                        if ($length == 126) { read $c, $b, 2; $length = unpack 'n', $b }
                        elsif ($length == 127) { read $c, $b, 8; $length = unpack 'Q>', $b }
                        read $c, my $mask, 4;
                        my $data = '';
                        read $c, $data, $length if $length;
                        $data ^= substr($mask x ($length / 4 + 1), 0, $length);
                        my $size = $length < 126 ? pack('C', $length)
                            : $length < 65536 ? pack('Cn', 126, $length) : pack('CQ>', 127, $length);
                        print $c pack('C', $first) . $size . $data;
                        $c->flush;
                        last if ($first & 15) == 8;
                    }
                } else {
                    my $body = $head;
                    print $c "HTTP/1.1 201 x\\r\\nContent-Length: " . length($body) . "\\r\\nX-Far: yes\\r\\n\\r\\n$body";
                }
                exit;
            }
            """;

    @TempDir
    static Path folder;

    private static TestCertificate certificate;
    private static Process client;

    private final AtomicLong clockMs = new AtomicLong(System.currentTimeMillis());
    private FakeOpenSandbox provider;

    @BeforeAll
    static void makeCertificate() throws Exception {
        FakeSandbox.whyNot().ifPresent(why -> Assumptions.abort("no sandboxes: " + why));
        certificate = TestCertificate.in(folder);
        client = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-XX:+UseSerialGC",
                        "-Djavax.net.ssl.trustStore=" + certificate.keyStore(),
                        "-Djavax.net.ssl.trustStorePassword=" + TestCertificate.PASSWORD,
                        "-cp",
                        System.getProperty("java.class.path"),
                        OpenSandboxClient.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    @AfterAll
    static void endClient() {
        if (client != null) {
            client.destroyForcibly();
        }
    }

    @BeforeEach
    void start() {
        provider = new FakeOpenSandbox(certificate, clockMs::get);
    }

    @AfterEach
    void close() throws IOException {
        if (provider != null) {
            provider.close();
        }
    }

    private JsonObject client(String key, String... words) throws IOException {
        JsonObject request = JsonObject.of(Map.of("url", provider.url(), "key", key, "words", List.of(words)));
        client.getOutputStream().write(Json.writeLine(request));
        client.getOutputStream().flush();
        return JsonObject.read(client.inputReader().readLine().getBytes(UTF_8));
    }

    private JsonObject does(String... words) throws IOException {
        JsonObject answer = client(FakeProvider.TOKEN, words);
        assertFalse(answer.has("failed"), answer::toString);
        return answer;
    }

    private JsonObject fails(String... words) throws IOException {
        JsonObject answer = client(FakeProvider.TOKEN, words);
        assertTrue(answer.has("failed"), answer::toString);
        return answer;
    }

    @Test
    void shouldCreateFindListAndEnd() throws Exception {
        provider.plant("foreign", "name=foreign", "request=r1");
        JsonObject created = does("create", "brig-a-1", "r1", "8080");
        String id = created.text("id", "");
        assertEquals(provider.idOf("brig-a-1").orElseThrow(), id);
        assertEquals("Running", created.text("state"));
        assertEquals("debian:12", created.text("image"));
        assertEquals(600, created.number("seconds", 0));
        assertEquals("r1", created.object("metadata").text("request"));
        assertEquals(true, created.value("healthy"));
        assertEquals("127.0.0.1:" + provider.port() + "/" + id + "/8080", created.text("endpoint"));
        assertEquals(1, provider.creates("request=r1"));
        JsonObject listed = does("list", "name", "brig-a-1", "1", "20");
        assertEquals(
                List.of(id),
                listed.objects("items").stream().map(one -> one.text("id")).toList());
        does("pause", id);
        assertEquals("Paused", does("get", id).text("state"));
        assertEquals(409, fails("pause", id).number("status", 0));
        does("resume", id);
        does("renew", id, "PT1H");
        assertTrue(does("get", id).number("seconds", 0) > 3500);
        does("kill", id);
        assertEquals(404, fails("get", id).number("status", 0));
        assertEquals("DOCKER::SANDBOX_NOT_FOUND", fails("kill", id).text("code"));
        assertEquals(List.of(), provider.alive());
        assertEquals(1, provider.destroys());
        assertEquals(0, provider.touchesOfForeign());
    }

    @Test
    void shouldListInPagesAndEndWhatExpired() throws Exception {
        for (int i = 0; i < 5; i++) {
            clockMs.incrementAndGet();
            provider.add("n" + i, List.of("gateway=g"), false).setEnd(clockMs.get() + 60_000);
        }
        JsonObject first = does("list", "gateway", "g", "1", "2");
        assertEquals(2, first.objects("items").size());
        assertEquals(5, first.number("total", 0));
        assertEquals(3, first.number("pages", 0));
        assertEquals(true, first.value("more"));
        JsonObject last = does("list", "gateway", "g", "3", "2");
        assertEquals(1, last.objects("items").size());
        assertEquals(false, last.value("more"));
        clockMs.addAndGet(59_999);
        assertEquals(1, does("list", "gateway", "g", "1", "20").number("total", 0));
        assertEquals(List.of("n4"), provider.alive());
    }

    @Test
    void shouldRunCommandsAndWriteFiles() throws Exception {
        String id = does("create", "a", "r", "1").text("id", "");
        JsonObject run =
                does("run", id, "echo one; echo; echo \"$GIVEN\"; pwd; echo bad >&2; exit 42", "/tmp", "false");
        assertEquals(List.of("one", "\n", "at the start", "/tmp"), run.texts("out"));
        assertEquals(List.of("bad"), run.texts("err"));
        assertEquals("CommandExecError 42", run.text("error"));
        assertFalse(run.text("id", "").isEmpty());
        assertFalse(does("run", id, "true", "/", "false").has("error"));
        assertEquals(
                List.of(),
                does("run", id, "echo $$ >/tmp/there; exec sleep 1000", "/", "true")
                        .texts("out"));
        assertEquals(
                List.of("sleep"),
                does("run", id, "until [ -s /tmp/there ]; do :; done; cat /proc/$(cat /tmp/there)/comm", "/", "false")
                        .texts("out"));
        JsonObject files = does("files", id, "/home/sandbox/below/file", "" + MUCH);
        assertEquals(true, files.value("equal"));
        assertEquals("text", files.text("small"));
        assertEquals(
                List.of("750", "640"),
                does("run", id, "stat -c %a /home/sandbox/below/file*", "/", "false")
                        .texts("out"));
    }

    @Test
    void shouldRefuseAsTheVendorDoes() throws Exception {
        assertEquals(401, client("wrong", "create", "a", "r", "1").number("status", 0));
        assertEquals(
                "SANDBOX::INVALID_METADATA_LABEL",
                fails("create", "a b", "r", "1").text("code"));
        provider.faults().next(Operation.CREATE, Fault.RATE_LIMITED, Fault.LOST_AFTER);
        assertEquals(429, fails("create", "a", "r", "1").number("status", 0));
        assertEquals(0, provider.creates("request=r"));
        assertEquals(0, fails("create", "a", "r", "1").number("status", 1));
        assertEquals(1, provider.creates("request=r"));
        assertEquals(List.of("a"), provider.alive());
    }

    @Test
    @Tag("slow")
    void shouldPassHttpAndWebSocketsOnToPorts() throws Exception {
        String id = does("create", "a", "r", "1").text("id", "");
        FakeSandbox wall = provider.wall("a");
        Process server = wall.exec(List.of("perl", "-e", SERVER), wall.environment(), "/");
        assertEquals("listening", server.inputReader().readLine());
        HttpResponse<String> answer = http(
                "GET",
                provider.url() + "/sandboxes/" + id + "/proxy/7777/below/this?a=b",
                "",
                "Authorization",
                "Bearer not-for-the-sandbox",
                "X-Link",
                "kept");
        assertEquals(201, answer.statusCode());
        assertEquals("yes", answer.headers().firstValue("X-Far").orElse(""));
        assertTrue(answer.body().startsWith("GET /below/this?a=b HTTP/1.1\r\n"), answer::body);
        assertTrue(answer.body().toLowerCase().contains("x-link: kept"), answer::body);
        assertFalse(answer.body().toLowerCase().contains("authorization"), answer::body);
        assertEquals(
                502,
                http("GET", "https://127.0.0.1:" + provider.port() + "/" + id + "/7778", "")
                        .statusCode());
        byte[] sent = new byte[MUCH];
        new Random(4).nextBytes(sent);
        assertArrayEquals(sent, echoed("/" + id + "/7777/link", sent));
        assertArrayEquals(sent, echoed("/v1/sandboxes/" + id + "/proxy/7777/link", sent));
    }

    @Test
    void shouldLetInOnlyWhoHasTheHeadersOfTheEndpoint() throws Exception {
        String order = "{\"image\":{\"uri\":\"debian:12\"},\"entrypoint\":[\"true\"],\"resourceLimits\":{},"
                + "\"metadata\":{\"name\":\"a\"},\"secureAccess\":true}";
        assertEquals(401, http("POST", provider.url() + "/sandboxes", order).statusCode());
        HttpResponse<String> created =
                http("POST", provider.url() + "/sandboxes", order, FakeOpenSandbox.KEY_HEADER, FakeProvider.TOKEN);
        assertEquals(202, created.statusCode());
        String id = provider.idOf("name=a").orElseThrow();
        assertEquals(
                "/v1/sandboxes/" + id, created.headers().firstValue("Location").orElse(""));
        JsonObject sandbox = JsonObject.read(created.body().getBytes(UTF_8));
        assertEquals("Pending", sandbox.object("status").text("state"));
        assertFalse(sandbox.has("expiresAt"), "without a timeout it never ends");
        JsonObject endpoint = JsonObject.read(http(
                        "GET",
                        provider.url() + "/sandboxes/" + id + "/endpoints/44772?use_server_proxy=true",
                        "",
                        FakeOpenSandbox.KEY_HEADER,
                        FakeProvider.TOKEN)
                .body()
                .getBytes(UTF_8));
        assertEquals("127.0.0.1:" + provider.port() + "/sandboxes/" + id + "/proxy/44772", endpoint.text("endpoint"));
        String token = endpoint.object("headers").text(FakeOpenSandbox.ACCESS_HEADER, "");
        String ping = "https://" + endpoint.text("endpoint") + "/ping";
        assertEquals(404, http("GET", ping, "").statusCode());
        assertEquals(
                404,
                http("GET", ping, "", FakeOpenSandbox.ACCESS_HEADER, "guessed").statusCode());
        assertEquals(
                200, http("GET", ping, "", FakeOpenSandbox.ACCESS_HEADER, token).statusCode());
    }

    @Test
    @Tag("slow")
    void shouldStartTheEntryProcessAndKeepRulesForTheNetwork() throws Exception {
        String order =
                "{\"image\":{\"uri\":\"debian:12\"},\"entrypoint\":[\"sh\",\"-c\",\"echo $E >/tmp/entered; sleep 1000\"],"
                        + "\"resourceLimits\":{},\"env\":{\"E\":\"mine\"},\"timeout\":60,\"metadata\":{\"name\":\"a\"},"
                        + "\"networkPolicy\":{\"egress\":[{\"action\":\"allow\",\"target\":\"one.example\"}]}}";
        String[] key = {FakeOpenSandbox.KEY_HEADER, FakeProvider.TOKEN};
        assertEquals(
                202, http("POST", provider.url() + "/sandboxes", order, key).statusCode());
        String id = provider.idOf("a").orElseThrow();
        assertEquals(
                List.of("mine"),
                does("run", id, "until [ -s /tmp/entered ]; do :; done; cat /tmp/entered", "/", "false")
                        .texts("out"));
        JsonObject endpoint =
                JsonObject.read(http("GET", provider.url() + "/sandboxes/" + id + "/endpoints/18080", "", key)
                        .body()
                        .getBytes(UTF_8));
        String[] token = {EgressSidecar.HEADER, endpoint.object("headers").text(EgressSidecar.HEADER, "")};
        String url = "https://" + endpoint.text("endpoint") + "/policy";
        assertEquals(401, http("GET", url, "").statusCode());
        String change =
                "[{\"action\":\"deny\",\"target\":\"one.example\"},{\"action\":\"allow\",\"target\":\"two.example\"}]";
        assertEquals(200, http("PATCH", url, change, token).statusCode());
        assertEquals(
                400,
                http("PATCH", url, "[{\"target\":\"three.example\"}]", token).statusCode());
        JsonObject now = JsonObject.read(http("GET", url, "", token).body().getBytes(UTF_8))
                .object("policy");
        assertEquals("deny", now.text("defaultAction"));
        assertEquals(
                List.of("deny one.example", "allow two.example"),
                now.objects("egress").stream()
                        .map(rule -> rule.text("action") + " " + rule.text("target"))
                        .toList());
        assertEquals(200, http("DELETE", url, "[\"one.example\"]", token).statusCode());
        assertEquals(1, provider.policyOf("a").objects("egress").size());
    }

    private static HttpResponse<String> http(String method, String url, String body, String... headers)
            throws Exception {
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(KeyStore.getInstance(certificate.keyStore().toFile(), TestCertificate.PASSWORD.toCharArray()));
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url)).method(method, HttpRequest.BodyPublishers.ofString(body));
        if (headers.length > 0) {
            request.headers(headers);
        }
        try (HttpClient client = HttpClient.newBuilder().sslContext(context).build()) {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        }
    }

    private byte[] echoed(String path, byte[] sent) throws Exception {
        Vertx vertx = Vertx.vertx();
        CompletableFuture<Buffer> done = new CompletableFuture<>();
        Buffer back = Buffer.buffer();
        // Vert.x closes one that nobody refers to.
        WebSocketClient sockets = vertx.createWebSocketClient(new WebSocketClientOptions()
                .setTrustOptions(
                        new PemTrustOptions().addCertPath(certificate.pem().toString())));
        sockets.connect(new WebSocketConnectOptions()
                        .setSsl(true)
                        .setHost("127.0.0.1")
                        .setPort(provider.port())
                        .setURI(path))
                .onFailure(done::completeExceptionally)
                .onSuccess(socket -> {
                    socket.handler(bytes -> {
                        back.appendBuffer(bytes);
                        if (back.length() >= sent.length) {
                            done.complete(back);
                        }
                    });
                    socket.closeHandler(closed -> done.complete(back));
                    for (int at = 0; at < sent.length; at += 50_000) {
                        socket.write(Buffer.buffer().appendBytes(sent, at, Math.min(50_000, sent.length - at)));
                    }
                });
        try {
            return done.get().getBytes();
        } finally {
            sockets.close();
            vertx.close().toCompletionStage().toCompletableFuture().join();
        }
    }
}
