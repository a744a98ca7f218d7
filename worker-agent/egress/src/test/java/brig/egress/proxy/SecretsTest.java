package brig.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.connection.ProxyLimits;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.EgressEvent;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Placeholders inside, values outside. */
class SecretsTest {
    private static final String VALUE = "planted-real-value-7391";
    private static final String POLICY = """
            {'allowedHosts': ['a.example:PORT', 'b.example:PORT', '127.0.0.1:PORT'], 'secrets': {
              'TOKEN': {'hosts': ['a.example:PORT'], 'envVar': 'HOST_TOKEN', 'inQuery': true, 'allowPlaintext': true},
              'STRICT': {'hosts': ['a.example:PORT'], 'envVar': 'OTHER_TOKEN'},
              'ABSENT': {'hosts': ['a.example:PORT'], 'envVar': 'NOT_THERE'}}}""";

    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(
                folder, Map.of("HOST_TOKEN", VALUE, "OTHER_TOKEN", "planted-other-value-1212"), ProxyLimits.USUAL);
        egress.name("a.example", "b.example");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    /** Echoes the head and body of the request. */
    private static void echo(TestServer.Request request, OutputStream out) throws IOException {
        TestServer.answering(request.head() + request.body()).handle(request, out);
    }

    private Worker worker(TestServer server) throws IOException {
        return egress.worker(EgressFixture.policy(POLICY, server.port()));
    }

    private static String post(String host, int port, String body, String... headers) {
        return "POST http://" + host + ":" + port + "/x HTTP/1.1\r\nHost: " + host + ":" + port + "\r\n"
                + String.join("", headers) + "Content-Length: " + body.length() + "\r\n\r\n" + body;
    }

    @Test
    void shouldPutValuesInAndTakeThemOutAgain() throws Exception {
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = worker(server);
            String token = worker.placeholders().get("TOKEN");
            try (TestClient client = egress.client(worker)) {
                Answer answer = client.send(post(
                                "a.example",
                                server.port(),
                                "k=" + token + "&k=" + token,
                                "Authorization: Bearer " + token + "\r\n",
                                "Accept-Encoding: gzip\r\n"))
                        .answer();
                assertEquals(200, answer.status(), answer.body());
                TestServer.Request got = server.requests().getFirst();
                assertEquals("Bearer " + VALUE, got.header("authorization"));
                assertEquals("k=" + VALUE + "&k=" + VALUE, got.body());
                assertEquals("identity", got.header("accept-encoding"));
                assertFalse(answer.body().contains(VALUE), answer.body());
                assertTrue(answer.body().contains("Bearer " + token), answer.body());
                assertEquals(List.of("TOKEN"), egress.firstResult().secrets());
            }
        }
    }

    @Test
    void shouldKnowBasicCredentialsBothWays() throws Exception {
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = worker(server);
            String inside = base64("x-access-token:" + worker.placeholders().get("TOKEN"));
            try (TestClient client = egress.client(worker)) {
                Answer answer = client.send(
                                post("a.example", server.port(), "", "Authorization: Basic " + inside + "\r\n"))
                        .answer();
                String outside = base64("x-access-token:" + VALUE);
                assertEquals("Basic " + outside, server.requests().getFirst().header("authorization"));
                assertTrue(answer.body().contains(inside) && !answer.body().contains(outside), answer.body());
            }
        }
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(ISO_8859_1));
    }

    @Test
    void shouldBlockWhenAPlaceholderGoesToAnotherHost() throws Exception {
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = worker(server);
            String token = worker.placeholders().get("TOKEN");
            List<String> requests = List.of(
                    post("b.example", server.port(), "", "X-Key: " + token + "\r\n"),
                    post("b.example", server.port(), "", "Authorization: Basic " + base64("u:" + token) + "\r\n"),
                    post("b.example", server.port(), "{\"k\":\"" + token + "\"}"),
                    post("b.example", server.port(), "").replace("/x", "/x?k=" + token),
                    post("b.example", server.port(), "").replace("/x", "/" + token),
                    post("b.example", server.port(), "", token + ": 1\r\n"),
                    post("b.example", server.port(), "leaked " + VALUE),
                    post("b.example", server.port(), "BRIG_SECRET_" + "0".repeat(48)),
                    post("a.example", server.port(), worker.placeholders().get("ABSENT")),
                    post("a.example", server.port(), worker.placeholders().get("STRICT")),
                    post("a.example", server.port(), "")
                            .replace("/x", "/x?k=" + worker.placeholders().get("STRICT")));
            for (String request : requests) {
                try (TestClient client = egress.client(worker)) {
                    Answer answer = client.send(request).answer();
                    assertEquals(403, answer.status(), request);
                    assertTrue(!answer.body().contains(VALUE), answer.body());
                    String rule =
                            egress.event(EgressEvent.Blocked.class).request().rule();
                    assertTrue(answer.body().contains("Reason: " + rule), answer.body());
                }
            }
            assertTrue(server.requests().isEmpty(), server.requests().toString());
            assertEquals(
                    requests.size(),
                    egress.audit().stream()
                            .filter(line -> line.decision() == AuditEvent.Decision.BLOCKED)
                            .count());
        }
    }

    @Test
    void shouldBreakOffWhenAPlaceholderComesLateInALongBody() throws Exception {
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = worker(server);
            String body = "x".repeat(600_000) + worker.placeholders().get("TOKEN") + "y".repeat(1000);
            try (TestClient client = egress.client(worker)) {
                assertEquals(
                        403,
                        client.send(post("b.example", server.port(), body))
                                .answer()
                                .status());
                assertTrue(server.requests().isEmpty());
            }
            try (TestClient client = egress.client(worker)) {
                assertEquals(
                        200,
                        client.send(post("a.example", server.port(), body))
                                .answer()
                                .status());
                TestServer.Request got = server.requests().getFirst();
                assertEquals("chunked", got.header("transfer-encoding"));
                assertEquals(600_000 + VALUE.length() + 1000, got.body().length());
                assertTrue(got.body().contains(VALUE));
            }
        }
    }

    @Test
    void shouldLeaveAPackedBodyAlone() throws Exception {
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = worker(server);
            try (TestClient client = egress.client(worker)) {
                client.send(post(
                                "a.example",
                                server.port(),
                                "packed " + worker.placeholders().get("TOKEN"),
                                "Content-Encoding: zstd\r\n"))
                        .answer();
                assertTrue(server.requests().getFirst().body().contains("BRIG_SECRET_"));
            }
        }
    }

    @Test
    void shouldUnpackAnswersToLookThroughThem() throws Exception {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(("<" + VALUE + ">").getBytes(ISO_8859_1));
        }
        try (TestServer server = egress.plain((request, out) -> {
            boolean known = request.line().contains("/gzip");
            TestServer.write(
                    out,
                    "HTTP/1.1 200 OK\r\nContent-Encoding: " + (known ? "gzip" : "br") + "\r\nX-Echo: " + VALUE
                            + "\r\nContent-Length: " + packed.size() + "\r\n\r\n");
            out.write(packed.toByteArray());
            out.flush();
        })) {
            Worker worker = worker(server);
            try (TestClient client = egress.client(worker)) {
                Answer answer = client.send(post("a.example", server.port(), "").replace("/x", "/gzip"))
                        .answer();
                assertEquals("<" + worker.placeholders().get("TOKEN") + ">", answer.body());
                assertFalse(answer.head().contains(VALUE), answer.head());
            }
            try (TestClient client = egress.client(worker)) {
                assertEquals(
                        502,
                        client.send(post("a.example", server.port(), ""))
                                .answer()
                                .status());
            }
            try (TestClient client = egress.client(worker)) {
                Answer answer =
                        client.send(post("b.example", server.port(), "")).answer();
                assertEquals("br", answer.header("content-encoding"));
                assertEquals(String.valueOf(packed.size()), answer.header("content-length"));
            }
        }
    }

    @Test
    void shouldTakeAValueOutOfTheNameOfAHeader() throws Exception {
        try (TestServer server = egress.plain((request, out) -> TestServer.write(
                out,
                "HTTP/1.1 200 OK\r\n" + VALUE + ": x\r\nX-" + VALUE.toUpperCase(Locale.ROOT) + ": x\r\nX-B64: "
                        + base64("a" + VALUE) + "\r\nContent-Length: 0\r\n\r\n"))) {
            Worker worker = worker(server);
            try (TestClient client = egress.client(worker)) {
                String head = client.send(post("a.example", server.port(), ""))
                        .answer()
                        .head();
                assertFalse(head.toLowerCase(Locale.ROOT).contains(VALUE), head);
                assertFalse(head.contains(base64("a" + VALUE)), head);
                assertTrue(head.contains(worker.placeholders().get("TOKEN")), head);
            }
        }
    }

    @Test
    void shouldPutAValueIntoTheQueryWhenAsked() throws Exception {
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = worker(server);
            try (TestClient client = egress.client(worker)) {
                client.send(post("a.example", server.port(), "")
                                .replace("/x", "/x?k=" + worker.placeholders().get("TOKEN")))
                        .answer();
                assertEquals(
                        "POST /x?k=" + VALUE + " HTTP/1.1",
                        server.requests().getFirst().line());
                assertEquals("/x", egress.firstResult().path());
            }
        }
    }

    @Test
    void shouldFollowAFileThatChangesAndStopWhenRevoked() throws Exception {
        Path file = folder.resolve("token");
        Files.writeString(file, "first-value-1\nmore\n");
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = egress.worker(EgressFixture.policy(
                    "{'allowedHosts': ['a.example:PORT', '127.0.0.1:PORT'], 'secrets':"
                            + " {'T': {'hosts': ['a.example:PORT'], 'file': '" + file + "', 'allowPlaintext': true}}}",
                    server.port()));
            String request =
                    post("a.example", server.port(), worker.placeholders().get("T"));
            try (TestClient client = egress.client(worker)) {
                assertEquals(200, client.send(request).answer().status());
                assertEquals("first-value-1", server.requests().getLast().body());
                Files.writeString(file, "second-value-2\n");
                for (int i = 0; i < 2000 && !server.requests().getLast().body().equals("second-value-2"); i++) {
                    assertFalse(client.send(request).answer().body().contains("value"));
                }
                assertEquals("second-value-2", server.requests().getLast().body());
                egress.server.revoke(worker.id(), "T");
                int status = 200;
                for (int i = 0; i < 100 && status == 200; i++) {
                    status = client.send(request).answer().status();
                }
                assertEquals(403, status);
                int seen = server.requests().size();
                assertEquals(403, client.send(request).answer().status());
                assertEquals(seen, server.requests().size());
            }
        }
    }

    @Test
    void shouldAskACommandForAValue() throws Exception {
        try (TestServer server = egress.plain(SecretsTest::echo)) {
            Worker worker = egress.worker(EgressFixture.policy(
                    "{'allowedHosts': ['a.example:PORT', '127.0.0.1:PORT'], 'secrets':"
                            + " {'T': {'hosts': ['a.example:PORT'], 'command': ['/bin/echo', 'from-a-command'], 'allowPlaintext': true}}}",
                    server.port()));
            try (TestClient client = egress.client(worker)) {
                client.send(post(
                                "a.example",
                                server.port(),
                                worker.placeholders().get("T")))
                        .answer();
                assertEquals("from-a-command", server.requests().getFirst().body());
            }
        }
    }
}
