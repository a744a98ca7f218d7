package brig.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.connection.ProxyLimits;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.EgressEvent;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP without TLS through the proxy. */
class PlainProxyTest {
    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.name("a.example", "b.example");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private Worker allow(TestServer server) throws IOException {
        return egress.worker(EgressFixture.policy(
                "{'allowedHosts': ['a.example:PORT', '127.0.0.1:PORT', {'host': 'b.example:PORT', 'methods': ['GET']}]}",
                server.port()));
    }

    private static String get(String host, int port, String path, String... headers) {
        return "GET http://" + host + ":" + port + path + " HTTP/1.1\r\nHost: " + host + ":" + port + "\r\n"
                + String.join("", headers) + "\r\n";
    }

    @Test
    void shouldPassARequestOnWhenItsHostIsAllowed() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("hello"));
                TestClient client = egress.client(allow(server))) {
            Answer answer = client.send(get(
                            "a.example",
                            server.port(),
                            "/x?q=1",
                            "Proxy-Connection: keep-alive\r\n",
                            "Connection: x-private\r\n",
                            "X-Private: 1\r\n",
                            "Accept: */*\r\n"))
                    .answer();
            assertEquals(200, answer.status());
            assertEquals("hello", answer.body());
            TestServer.Request request = server.requests().getFirst();
            assertEquals("GET /x?q=1 HTTP/1.1", request.line());
            assertEquals("a.example:" + server.port(), request.header("host"));
            assertEquals("*/*", request.header("accept"));
            assertNull(request.header("x-private"));
            assertNull(request.header("proxy-connection"));
            assertEquals(
                    "a.example",
                    egress.event(EgressEvent.Allowed.class).request().host());
            AuditEvent.Result result = egress.firstResult();
            assertEquals("/x", result.path());
            assertEquals(200, result.status());
            assertEquals(5, result.responseBytes());
            assertEquals("spn_test", egress.audit().getFirst().spawnId());
            assertEquals("tester", egress.audit().getFirst().agent());
        }
    }

    @Test
    void shouldTeachWhenAHostIsNotAllowed() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("hello"));
                TestClient client = egress.client(allow(server))) {
            Answer answer = client.send(get("evil.example", server.port(), "/secret?token=x"))
                    .answer();
            assertEquals(403, answer.status());
            assertEquals(
                    "Brig blocked this request: GET http://evil.example:" + server.port() + "/secret\n"
                            + "Reason: allowedHosts does not have evil.example\n"
                            + "A person can allow it: brig egress allow spn_test evil.example:" + server.port() + "\n",
                    answer.body());
            assertTrue(server.requests().isEmpty());
            EgressEvent.Request blocked =
                    egress.event(EgressEvent.Blocked.class).request();
            assertEquals("evil.example", blocked.host());
            assertEquals("/secret", blocked.path());
            assertFalse(egress.resolved.contains("evil.example"), "a refused name must not be looked up");
        }
    }

    @Test
    void shouldServeManyRequestsOnOneConnectionWhenItIsKeptAlive() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("hello"));
                TestClient client = egress.client(allow(server))) {
            for (int i = 0; i < 5; i++) {
                assertEquals(
                        200,
                        client.send(get("a.example", server.port(), "/" + i))
                                .answer()
                                .status());
                assertEquals(
                        403,
                        client.send(get("evil.example", server.port(), "/" + i))
                                .answer()
                                .status());
            }
            assertEquals(1, server.connections());
        }
    }

    @Test
    void shouldAnswerInOrderWhenRequestsArePipelined() throws Exception {
        try (TestServer server = egress.plain((request, out) ->
                        TestServer.answering(request.line().split(" ", -1)[1]).handle(request, out));
                TestClient client = egress.client(allow(server))) {
            StringBuilder all = new StringBuilder();
            for (int i = 0; i < 50; i++) {
                all.append(get("a.example", server.port(), "/" + i));
            }
            client.send(all.toString());
            for (int i = 0; i < 50; i++) {
                assertEquals("/" + i, client.answer().body());
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 65_536, 3_000_000})
    void shouldPassBodiesOnWhenTheyAreLongOrShort(int length) throws Exception {
        String body = "0123456789abcdef".repeat(length / 16 + 1).substring(0, length);
        try (TestServer server = egress.plain(
                        (request, out) -> TestServer.answering(request.body()).handle(request, out));
                TestClient client = egress.client(allow(server))) {
            String head = "POST http://a.example:" + server.port() + "/ HTTP/1.1\r\nHost: a.example:" + server.port()
                    + "\r\n";
            Answer sized = client.send(head + "Content-Length: " + length + "\r\n\r\n" + body)
                    .answer();
            assertEquals(body, sized.body());
            assertEquals(String.valueOf(length), server.requests().getFirst().header("content-length"));
            String chunk = length == 0 ? "" : Integer.toHexString(length) + "\r\n" + body + "\r\n";
            Answer chunked = client.send(head + "Transfer-Encoding: chunked\r\n\r\n" + chunk + "0\r\n\r\n")
                    .answer();
            assertEquals(body, chunked.body());
        }
    }

    @Test
    void shouldPassAnswersOnWhicheverWayTheirLengthIsTold() throws Exception {
        try (TestServer server = egress.plain((request, out) -> {
                    switch (request.line().split(" ", -1)[1]) {
                        case "/chunked" ->
                            TestServer.write(
                                    out, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
                        case "/head" -> TestServer.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n");
                        case "/none" -> TestServer.write(out, "HTTP/1.1 204 No Content\r\n\r\n");
                        case "/early" ->
                            TestServer.write(
                                    out,
                                    "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                        default -> {
                            TestServer.write(out, "HTTP/1.0 200 OK\r\n\r\nto the end");
                            out.close();
                        }
                    }
                });
                TestClient client = egress.client(allow(server))) {
            assertEquals(
                    "abc",
                    client.send(get("a.example", server.port(), "/chunked"))
                            .answer()
                            .body());
            Answer head = client.send(get("a.example", server.port(), "/head").replace("GET", "HEAD"))
                    .answer(false);
            assertEquals("1000", head.header("content-length"));
            assertEquals(
                    204,
                    client.send(get("a.example", server.port(), "/none"))
                            .answer()
                            .status());
            assertEquals(
                    "ok",
                    client.send(get("a.example", server.port(), "/early"))
                            .answer()
                            .body());
            assertEquals(
                    "to the end",
                    client.send(get("a.example", server.port(), "/close"))
                            .answer()
                            .body());
            assertEquals(
                    "abc",
                    client.send(get("a.example", server.port(), "/chunked"))
                            .answer()
                            .body());
        }
    }

    @Test
    void shouldLetAClientSendItsBodyWhenItAsksFirst() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"));
                TestClient client = egress.client(allow(server))) {
            String head = "POST http://%s:" + server.port() + "/ HTTP/1.1\r\nHost: %s:" + server.port()
                    + "\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n";
            assertEquals(
                    100,
                    client.send(head.formatted("a.example", "a.example"))
                            .answer()
                            .status());
            assertEquals(200, client.send("abc").answer().status());
            assertEquals("abc", server.requests().getFirst().body());
            assertNull(server.requests().getFirst().header("expect"));
            assertEquals(
                    403,
                    client.send(head.formatted("evil.example", "evil.example"))
                            .answer()
                            .status());
        }
    }

    @Test
    void shouldRetryWhenTheServerClosedAnIdleConnection() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"));
                TestClient client = egress.client(allow(server))) {
            assertEquals(
                    200,
                    client.send(get("a.example", server.port(), "/1")).answer().status());
            server.dropConnections();
            assertEquals(
                    200,
                    client.send(get("a.example", server.port(), "/2")).answer().status());
        }
    }

    @Test
    void shouldSayThatTheServerFailedWhenItEndsWithoutAnAnswer() throws Exception {
        try (TestServer server = egress.plain((request, out) -> out.close());
                TestClient client = egress.client(allow(server))) {
            Answer answer = client.send(get("a.example", server.port(), "/")).answer();
            assertEquals(502, answer.status());
            assertTrue(answer.body().startsWith("Brig could not pass on this request"), answer.body());
        }
    }

    @Test
    void shouldCutTheClientWhenTheServerIsCutInItsAnswer() throws Exception {
        try (TestServer server = egress.plain((request, out) -> {
                    TestServer.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
                    out.close();
                });
                TestClient client = egress.client(allow(server))) {
            client.send(get("a.example", server.port(), "/"));
            String all = new String(client.in().readAllBytes(), ISO_8859_1);
            assertTrue(all.endsWith("half"), all);
        }
    }

    @Test
    void shouldBoundMethodsWhenTheRuleDoes() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"));
                TestClient client = egress.client(allow(server))) {
            assertEquals(
                    200,
                    client.send(get("b.example", server.port(), "/")).answer().status());
            Answer answer = client.send(get("b.example", server.port(), "/").replace("GET", "DELETE"))
                    .answer();
            assertEquals(403, answer.status());
            assertTrue(answer.body().contains("with other methods or paths only"), answer.body());
        }
    }

    /** Frameworks accept another method in a header or in the query, for clients limited to GET and POST. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-HTTP-Method-Override: DELETE",
                "x-http-method: delete",
                "X-Method-Override: GET, DELETE",
                "X_HTTP_METHOD_OVERRIDE: DELETE",
                "?_method=DELETE",
                "?a=1&_method=GET;_METHOD=%44ELETE",
                "?X-HTTP-Method-Override=DELETE",
                "?_method=%zz"
            })
    void shouldJudgeARequestByEachMethodThatAServerMayTakeItFor(String override) throws Exception {
        boolean query = override.startsWith("?");
        try (TestServer server = egress.plain(TestServer.answering("ok"));
                TestClient client = egress.client(allow(server))) {
            String request =
                    get("b.example", server.port(), query ? "/" + override : "/", query ? "" : override + "\r\n");
            assertEquals(403, client.send(request).answer().status());
            assertEquals(
                    200,
                    client.send(request.replace("b.example", "a.example"))
                            .answer()
                            .status(),
                    "where all methods are allowed");
            assertEquals(
                    200,
                    client.send(request.replace("DELETE", "GET")
                                    .replace("delete", "get")
                                    .replace("%44ELETE", "GET")
                                    .replace("%zz", "GET"))
                            .answer()
                            .status());
            assertEquals(2, server.requests().size());
        }
    }

    /** Requests that a second parser might read differently. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "GET http://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~Host: a.example:PORT~~ | 400",
                "GET http://a.example:PORT/ HTTP/1.1~~ | 400",
                "POST http://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~Content-Length: 3~Transfer-Encoding: chunked~~0~~ | 400",
                "POST http://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~Content-Length: 3~Content-Length: 4~~abc | 400",
                "POST http://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~Content-Length: -3~~abc | 400",
                "POST http://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~Transfer-Encoding: gzip, chunked~~0~~ | 400",
                "POST http://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~Transfer-Encoding : chunked~~0~~ | 400",
                "GET http://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~X: a\0b~~ | 400",
                "GET / HTTP/1.1~Host: a.example:PORT~~ | 400",
                "GET http://user@a.example:PORT/ HTTP/1.1~Host: a.example:PORT~~ | 400",
                "GET http:///x HTTP/1.1~Host: a.example:PORT~~ | 400",
                "GET http://127.1:PORT/ HTTP/1.1~Host: 127.1:PORT~~ | 400",
                "GET http://2130706433:PORT/ HTTP/1.1~Host: 2130706433:PORT~~ | 400",
                "GET ftp://a.example:PORT/ HTTP/1.1~Host: a.example:PORT~~ | 400",
                "NONSENSE~~ | 400"
            })
    void shouldRefuseWhenARequestIsAmbiguous(String request, int status) throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"));
                TestClient client = egress.client(allow(server))) {
            Answer answer = client.send(request.replace("~", "\r\n")
                            .replace("\\0", "\0")
                            .replace("PORT", String.valueOf(server.port())))
                    .answer();
            assertEquals(status, answer.status(), answer.body());
            assertTrue(server.requests().isEmpty(), server.requests().toString());
        }
    }

    /** CVE-2026-50020: bytes that one parser skips begin a request for the next. */
    @ParameterizedTest
    @ValueSource(strings = {"\0", "\u0001\u0002", "\r\n\0", "\u007f"})
    void shouldRefuseWhenSomethingStandsInFrontOfARequest(String front) throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            for (boolean first : new boolean[] {true, false}) {
                try (TestClient client = egress.client(allow(server))) {
                    if (!first) {
                        assertEquals(
                                200,
                                client.send(get("a.example", server.port(), "/one"))
                                        .answer()
                                        .status());
                    }
                    int before = server.requests().size();
                    assertEquals(
                            400,
                            client.send(front + get("a.example", server.port(), "/two"))
                                    .answer()
                                    .status());
                    assertEquals(before, server.requests().size());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"line", "header", "headers"})
    void shouldRefuseWhenARequestIsTooLong(String what) throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"));
                TestClient client = egress.client(allow(server))) {
            String request = switch (what) {
                case "line" -> get("a.example", server.port(), "/" + "x".repeat(20_000));
                case "header" -> get("a.example", server.port(), "/", "X: " + "x".repeat(70_000) + "\r\n");
                default -> get("a.example", server.port(), "/", "X: 0123456789\r\n".repeat(7_000));
            };
            assertEquals(431, client.send(request).answer().status());
            assertTrue(client.isEnded());
            assertTrue(server.requests().isEmpty());
        }
    }

    /** Scenario: the server writes endlessly and the client does not read; the proxy must not buffer the difference. */
    @Test
    void shouldHoldTheServerBackWhenTheClientDoesNotRead() throws Exception {
        AtomicLong written = new AtomicLong();
        byte[] block = new byte[64 * 1024];
        try (TestServer server = egress.plain((request, out) -> {
                    TestServer.write(out, "HTTP/1.1 200 OK\r\nContent-Length: 2000000000\r\n\r\n");
                    while (true) {
                        out.write(block);
                        written.addAndGet(block.length);
                    }
                });
                TestClient client = egress.client(allow(server))) {
            client.send(get("a.example", server.port(), "/"));
            client.in().readNBytes(100);
            long before = -1;
            while (written.get() != before) {
                before = written.get();
                LockSupport.parkNanos(300_000_000);
            }
            assertTrue(before < 40_000_000, "took " + before);
            client.in().readNBytes(8_000_000);
        }
    }

    @Test
    void shouldCloseWhenAWorkerHasTooManyConnections() throws Exception {
        try (EgressFixture small = new EgressFixture(
                folder.resolve("small"),
                Map.of(),
                new ProxyLimits(2, 16_384, 65_536, 262_144, 1000, 1000, 1000, 1000, 5000, 5000, 1_000_000))) {
            Worker worker = small.worker(EgressFixture.policy("{'allowedHosts': ['a.example']}", 0));
            try (TestClient one = small.client(worker);
                    TestClient two = small.client(worker)) {
                assertEquals(403, one.send(get("x.example", 1, "/")).answer().status());
                assertEquals(403, two.send(get("x.example", 1, "/")).answer().status());
                try (TestClient three = small.client(worker)) {
                    assertTrue(three.isEnded());
                }
            }
        }
    }

    @Test
    void shouldKeepToTheRateInBothDirections() throws Exception {
        try (EgressFixture slow = new EgressFixture(
                folder.resolve("slow"),
                Map.of(),
                new ProxyLimits(9, 16_384, 65_536, 262_144, 9000, 9000, 9000, 9000, 9000, 9000, 400_000))) {
            slow.name("a.example");
            String large = "0123456789abcdef".repeat(300_000 / 16);
            try (TestServer server = slow.plain((request, out) -> TestServer.answering(
                                    request.line().contains("/large") ? large : "ok")
                            .handle(request, out));
                    TestClient client = slow.client(slow.worker(EgressFixture.policy(
                            "{'allowedHosts': ['a.example:PORT', '127.0.0.1:PORT']}", server.port())))) {
                client.send(get("a.example", server.port(), "/")).answer();
                long start = System.nanoTime();
                assertEquals(
                        large,
                        client.send(get("a.example", server.port(), "/large"))
                                .answer()
                                .body());
                long received = System.nanoTime();
                client.send("POST http://a.example:" + server.port() + "/ HTTP/1.1\r\nHost: a.example:" + server.port()
                                + "\r\nContent-Length: " + large.length() + "\r\n\r\n" + large)
                        .answer();
                long sent = System.nanoTime();
                // Each direction takes three quarters of a second at that rate.
                assertTrue(received - start >= 600_000_000, "received in " + (received - start) + " ns");
                assertTrue(sent - received >= 600_000_000, "sent in " + (sent - received) + " ns");
            }
        }
    }
}
