package brig.egress.proxy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.connection.ProxyLimits;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.protocol.egress.EgressEvent;
import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Faults of other proxies that put secrets into the requests of sandboxes, one test for each. The numbers are those of
 * the list of pitfalls in the issue that asked for egress.
 */
class PitfallsTest {
    private static final String VALUE = "planted-real-value-7391";
    private static final String SECRET =
            "'secrets': {'TOKEN': {'hosts': ['a.example:PORT'], 'envVar': 'HOST_TOKEN', 'inQuery': true}}";

    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder, Map.of("HOST_TOKEN", VALUE), ProxyLimits.USUAL);
        egress.name("a.example", "b.example");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private Worker worker(int port, String further) throws IOException {
        return egress.worker(EgressFixture.policy(
                "{'allowedHosts': ['a.example:PORT', 'b.example:PORT'" + further + "], " + SECRET + "}", port));
    }

    private Worker worker(TestServer server) throws IOException {
        return worker(server.port(), ", '127.0.0.1:PORT'");
    }

    private static String get(String host, int port, String path, String headers) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + host + ":" + port + "\r\n" + headers + "\r\n";
    }

    private TestClient tls(Worker worker, TestServer server, String host) throws Exception {
        return egress.client(worker).connect(host + ":" + server.port()).tls(egress.trust(), host);
    }

    /** (1) A name that resolves to a closed address is not dialled. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "127.0.0.1",
                "127.0.0.53",
                "10.0.0.1",
                "169.254.169.254",
                "192.168.1.1",
                "100.64.0.1",
                "::1",
                "fe80::1",
                "64:ff9b::127.0.0.1",
                "2002:7f00:1::1",
                "0.0.0.0"
            })
    void shouldDialNoClosedAddressWhenAnAllowedNameLeadsThere(String address) throws Exception {
        egress.names.put("a.example", List.of(InetAddress.getByName(address)));
        try (TestServer server = egress.plain(TestServer.answering("inside"));
                TestClient client = egress.client(worker(server.port(), ""))) {
            Answer answer = client.send("GET http://a.example:" + server.port() + "/ HTTP/1.1\r\nHost: a.example:"
                            + server.port() + "\r\n\r\n")
                    .answer();
            assertEquals(403, answer.status());
            assertTrue(answer.body().contains("which allowedHosts does not name"), answer.body());
            assertTrue(server.requests().isEmpty());
        }
    }

    /** (1) This host's own addresses are not dialled; only the list of its interfaces identifies them. */
    @Test
    void shouldDialNoAddressOfThisHost() throws Exception {
        List<InetAddress> own = NetworkInterface.networkInterfaces()
                .flatMap(one -> one.inetAddresses())
                .toList();
        for (InetAddress address : own) {
            egress.names.put("a.example", List.of(address));
            try (TestClient client = egress.client(worker(80, ""))) {
                assertEquals(
                        403,
                        client.send("GET http://a.example/ HTTP/1.1\r\nHost: a.example\r\n\r\n")
                                .answer()
                                .status());
            }
        }
    }

    /** (1) Scenario: the name server gives a good address first, and another one at the next query. */
    @Test
    void shouldResolveOnceAndDialWhatWasJudged() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("hello"));
                TestClient client = egress.client(worker(server))) {
            client.send("GET http://a.example:" + server.port() + "/ HTTP/1.1\r\nHost: a.example:" + server.port()
                    + "\r\n\r\n");
            assertEquals(200, client.answer().status());
            assertEquals(List.of("a.example"), egress.resolved);
        }
    }

    /** (1) One good address among closed ones does not open the others. */
    @Test
    void shouldDialOnlyTheOpenOnesAmongManyAddresses() throws Exception {
        egress.names.put("a.example", List.of(InetAddress.getByName("127.0.0.7"), InetAddress.getLoopbackAddress()));
        try (TestServer server = egress.plain(TestServer.answering("hello"));
                TestServer closed = new TestServer(null, TestServer.answering("closed"));
                TestClient client = egress.client(worker(server))) {
            Answer answer = client.send("GET http://a.example:" + server.port() + "/ HTTP/1.1\r\nHost: a.example:"
                            + server.port() + "\r\n\r\n")
                    .answer();
            assertEquals("hello", answer.body());
            assertTrue(closed.requests().isEmpty());
        }
    }

    /** (2) The connection determines the target; another Host header or TLS server name is refused. */
    @Test
    void shouldRefuseWhenHostOrTlsNameIsNotTheTarget() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("hello"))) {
            Worker worker = worker(server);
            try (TestClient client = tls(worker, server, "a.example")) {
                assertEquals(
                        403,
                        client.send(get("b.example", server.port(), "/", ""))
                                .answer()
                                .status());
                assertEquals(
                        200,
                        client.send(get("a.example", server.port(), "/", ""))
                                .answer()
                                .status());
                assertEquals(
                        403,
                        client.send(get("a.example", server.port() + 1, "/", ""))
                                .answer()
                                .status());
            }
            try (TestClient client = egress.client(worker).connect("a.example:" + server.port())) {
                assertThrows(IOException.class, () -> client.tls(egress.trust(), "b.example"));
            }
            try (TestClient client = egress.client(worker)) {
                String request = "GET http://a.example:" + server.port() + "/ HTTP/1.1\r\nHost: b.example:"
                        + server.port() + "\r\n\r\n";
                assertEquals(403, client.send(request).answer().status());
            }
            assertEquals(1, server.requests().size());
        }
    }

    /** (3) A redirect goes back to the client, which may follow it with a new request, without the real value. */
    @Test
    void shouldNotFollowARedirect() throws Exception {
        AtomicInteger asked = new AtomicInteger();
        try (TestServer server = egress.tls("a.example", (request, out) -> {
            asked.incrementAndGet();
            TestServer.write(
                    out,
                    "HTTP/1.1 302 Found\r\nLocation: https://evil.example/?t=" + VALUE
                            + "\r\nContent-Length: 0\r\n\r\n");
        })) {
            Worker worker = worker(server);
            try (TestClient client = tls(worker, server, "a.example")) {
                Answer answer = client.send(get(
                                "a.example",
                                server.port(),
                                "/",
                                "Authorization: Bearer " + worker.placeholders().get("TOKEN") + "\r\n"))
                        .answer();
                assertEquals(302, answer.status());
                assertEquals(
                        "https://evil.example/?t=" + worker.placeholders().get("TOKEN"), answer.header("location"));
                assertEquals(1, asked.get());
            }
            try (TestClient client = egress.client(worker)) {
                assertEquals(
                        403,
                        client.send("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n")
                                .answer()
                                .status());
            }
            assertFalse(egress.resolved.contains("evil.example"));
        }
    }

    /** (4) Basic credentials are decoded, changed and encoded again. */
    @Test
    void shouldPutValuesIntoBasicCredentials() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("ok"))) {
            Worker worker = worker(server);
            try (TestClient client = tls(worker, server, "a.example")) {
                String inside = Base64.getEncoder()
                        .encodeToString(("git:" + worker.placeholders().get("TOKEN")).getBytes(UTF_8));
                assertEquals(
                        200,
                        client.send(get("a.example", server.port(), "/", "Authorization: Basic " + inside + "\r\n"))
                                .answer()
                                .status());
                String sent =
                        server.requests().getFirst().header("authorization").substring(6);
                assertEquals("git:" + VALUE, new String(Base64.getDecoder().decode(sent), UTF_8));
            }
        }
    }

    /** (5) A placeholder that comes in pieces is found, in a body whose length changes by it. */
    @Test
    void shouldFindAPlaceholderThatComesInPieces() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("ok"))) {
            Worker worker = worker(server);
            String placeholder = worker.placeholders().get("TOKEN");
            try (TestClient client = tls(worker, server, "a.example")) {
                client.send("POST / HTTP/1.1\r\nHost: a.example:" + server.port()
                        + "\r\nTransfer-Encoding: chunked\r\n\r\n");
                for (String piece : new String[] {
                    "k=", placeholder.substring(0, 5), placeholder.substring(5, 40), placeholder.substring(40) + "&x"
                }) {
                    client.send(Integer.toHexString(piece.length()) + "\r\n" + piece + "\r\n");
                }
                assertEquals(200, client.send("0\r\n\r\n").answer().status());
                assertEquals("k=" + VALUE + "&x", server.requests().getFirst().body());
            }
        }
    }

    /** (6) A placeholder for another host is refused with an error, not sent unchanged. */
    @Test
    void shouldSayNoWhenAPlaceholderGoesElsewhere() throws Exception {
        try (TestServer server = egress.tls("b.example", TestServer.answering("ok"))) {
            Worker worker = worker(server);
            try (TestClient client = tls(worker, server, "b.example")) {
                Answer answer = client.send(get(
                                "b.example",
                                server.port(),
                                "/",
                                "X: " + worker.placeholders().get("TOKEN") + "\r\n"))
                        .answer();
                assertEquals(403, answer.status());
                assertTrue(answer.body().contains("the secret TOKEN may not go to this host"), answer.body());
                assertTrue(server.requests().isEmpty());
                assertEquals(
                        "the secret TOKEN may not go to this host",
                        egress.event(EgressEvent.Blocked.class).request().rule());
            }
        }
    }

    /** (7) A service that echoes its input does not reveal the value. */
    @Test
    void shouldTakeValuesOutOfAnEcho() throws Exception {
        try (TestServer server = egress.tls(
                "a.example",
                (request, out) -> TestServer.write(
                        out,
                        "HTTP/1.1 200 OK\r\nX-Echo: " + request.header("x")
                                + "\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nplant\r\n"
                                + Integer.toHexString(VALUE.length() - 5) + "\r\n" + VALUE.substring(5)
                                + "\r\n0\r\n\r\n"))) {
            Worker worker = worker(server);
            try (TestClient client = tls(worker, server, "a.example")) {
                String placeholder = worker.placeholders().get("TOKEN");
                Answer answer = client.send(get("a.example", server.port(), "/", "X: " + placeholder + "\r\n"))
                        .answer();
                assertEquals(placeholder, answer.header("x-echo"));
                assertEquals(placeholder, answer.body());
            }
        }
    }

    /** (8) The headers of a WebSocket get secrets; its messages pass unchanged. */
    @Test
    void shouldPutValuesIntoTheHeadersOfAWebSocket() throws Exception {
        try (TestServer server = egress.tls(
                "a.example",
                (request, out) -> TestServer.write(
                        out,
                        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"))) {
            Worker worker = worker(server);
            try (TestClient client = tls(worker, server, "a.example")) {
                assertEquals(
                        101,
                        client.send(get(
                                        "a.example",
                                        server.port(),
                                        "/",
                                        "Connection: Upgrade\r\nUpgrade: websocket\r\n"
                                                + "Sec-WebSocket-Key: k\r\nAuthorization: Bearer "
                                                + worker.placeholders().get("TOKEN") + "\r\n"))
                                .answer()
                                .status());
                assertEquals("Bearer " + VALUE, server.requests().getFirst().header("authorization"));
            }
        }
    }

    /** (9) Only HTTP/1.1 is offered inside, whatever the client prefers; HTTP/2 with prior knowledge is refused. */
    @Test
    void shouldOfferHttp11Only() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("ok"))) {
            Worker worker = worker(server);
            try (TestClient client = egress.client(worker).connect("a.example:" + server.port())) {
                client.tls(egress.trust(), "a.example", "h2", "http/1.1");
                assertEquals("http/1.1", ((SSLSocket) client.socket()).getApplicationProtocol());
                assertEquals(
                        400,
                        client.send("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").answer().status());
            }
            assertTrue(server.requests().isEmpty());
        }
    }

    /** (10) Secrets are sent over TLS only. */
    @Test
    void shouldRefuseASecretWithoutTls() throws Exception {
        try (TestServer server = egress.plain(TestServer.answering("ok"))) {
            Worker worker = worker(server);
            try (TestClient client = egress.client(worker)) {
                Answer answer = client.send("GET http://a.example:" + server.port() + "/ HTTP/1.1\r\nHost: a.example:"
                                + server.port() + "\r\nX: "
                                + worker.placeholders().get("TOKEN") + "\r\n\r\n")
                        .answer();
                assertEquals(403, answer.status());
                assertTrue(answer.body().contains("the secret TOKEN travels over TLS only"), answer.body());
                assertTrue(server.requests().isEmpty());
            }
        }
    }

    /** (11) No report on a request has a secret in it, wherever client or server put it. */
    @Test
    void shouldWriteNoValueAnywhere() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering(VALUE))) {
            Worker worker = worker(server);
            String placeholder = worker.placeholders().get("TOKEN");
            for (String path : List.of("/?k=" + placeholder, "/" + VALUE, "/" + VALUE + "?k=" + VALUE)) {
                try (TestClient client = tls(worker, server, "a.example")) {
                    Answer answer = client.send(get("a.example", server.port(), path, ""))
                            .answer();
                    assertFalse((answer.head() + answer.body()).contains(VALUE), answer.toString());
                }
            }
            for (String host : List.of(VALUE + ".example", VALUE)) {
                try (TestClient client = egress.client(worker)) {
                    Answer answer = client.send(
                                    "GET http://" + host + "/" + VALUE + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .answer();
                    assertEquals(403, answer.status());
                    assertFalse(answer.body().contains(VALUE), answer.body());
                }
            }
            String written = egress.audit() + "" + egress.events;
            assertFalse(written.contains(VALUE), written);
            assertTrue(written.contains("secrets=[TOKEN]"), written);
        }
    }
}
