package brig.egress.proxy;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.egress.link.WallSocket;
import brig.egress.proxy.EgressFixture.Worker;
import brig.egress.proxy.TestClient.Answer;
import brig.egress.tls.CertificateAuthority;
import brig.egress.tls.TestServers;
import brig.protocol.egress.AuditEvent;
import brig.protocol.egress.EgressEvent;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** HTTPS, intercepted and tunnelled. */
class TlsTest {
    @TempDir
    Path folder;

    private EgressFixture egress;

    @BeforeEach
    void open() throws IOException {
        egress = new EgressFixture(folder);
        egress.name("a.example", "b.example", "alone");
    }

    @AfterEach
    void close() throws IOException {
        egress.close();
    }

    private Worker allow(int port) throws IOException {
        return egress.worker(EgressFixture.policy(
                "{'allowedHosts': ['a.example:PORT', 'alone:PORT', '127.0.0.1:PORT',"
                        + " {'host': 'b.example:PORT', 'paths': ['/v1/']}]}",
                port));
    }

    private static String get(String authority, String path) {
        return "GET " + path + " HTTP/1.1\r\nHost: " + authority + "\r\n\r\n";
    }

    @Test
    void shouldInterceptWhenTheHostIsAllowed() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("hello"));
                TestClient client = egress.client(allow(server.port()))) {
            String authority = "a.example:" + server.port();
            client.connect(authority).tls(egress.trust(), "a.example", "h2", "http/1.1");
            SSLSocket tls = (SSLSocket) client.socket();
            assertEquals("http/1.1", tls.getApplicationProtocol());
            X509Certificate leaf = (X509Certificate) tls.getSession().getPeerCertificates()[0];
            assertTrue(leaf.getIssuerX500Principal().getName().contains("Brig egress"));
            for (int i = 0; i < 3; i++) {
                assertEquals(
                        "hello", client.send(get(authority, "/" + i)).answer().body());
            }
            assertEquals(1, server.connections());
            assertEquals(authority, server.requests().getFirst().header("host"));
        }
    }

    @Test
    void shouldJudgeEachRequestInsideTls() throws Exception {
        try (TestServer server = egress.tls("b.example", TestServer.answering("hello"));
                TestClient client = egress.client(allow(server.port()))) {
            String authority = "b.example:" + server.port();
            client.connect(authority).tls(egress.trust(), "b.example");
            assertEquals(200, client.send(get(authority, "/v1/x")).answer().status());
            assertEquals(403, client.send(get(authority, "/v2/x")).answer().status());
            assertEquals(
                    403, client.send(get(authority, "/v1/../v2/x")).answer().status());
            assertEquals(200, client.send(get(authority, "/v1/y")).answer().status());
        }
    }

    @Test
    void shouldRefuseConnectWhenTheHostIsNotAllowed() throws Exception {
        Worker worker = allow(443);
        try (TestClient client = egress.client(worker)) {
            Answer answer = client.send("CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n\r\n")
                    .answer();
            assertEquals(403, answer.status());
            assertTrue(answer.body().contains("brig egress allow spn_test evil.example\n"), answer.body());
        }
        try (TestClient client = egress.client(worker)) {
            String text = "CONNECT a.example:443 HTTP/1.1\r\nHost: b.example:443\r\n\r\n";
            assertEquals(403, client.send(text).answer().status());
        }
    }

    @Test
    void shouldCheckTheServersCertificateAsACarefulClientWould() throws Exception {
        TestServers foreign = new TestServers(folder.resolve("foreign"));
        for (boolean wrongName : new boolean[] {true, false}) {
            try (TestServer server = new TestServer(
                            wrongName ? egress.servers.server("b.example") : foreign.server("a.example"),
                            TestServer.answering("hello"));
                    TestClient client = egress.client(allow(server.port()))) {
                String authority = "a.example:" + server.port();
                Answer answer = client.connect(authority)
                        .tls(egress.trust(), "a.example")
                        .send(get(authority, "/"))
                        .answer();
                assertEquals(502, answer.status());
                assertTrue(answer.body().contains("no TLS with " + authority), answer.body());
                assertTrue(server.requests().isEmpty());
            }
        }
    }

    /**
     * CVE-2026-45416: nine bytes announced a ClientHello of 16 MiB, for which memory was allocated at once and kept.
     */
    @Test
    void shouldEndAConnectionWhoseGreetingIsAnnouncedTooLarge() throws Exception {
        // Everything announced is sent at once: nothing can be written after the connection's end.
        byte[] greeting =
                Arrays.copyOf(new byte[] {22, 3, 1, 0x40, 0, 1, (byte) 0xff, (byte) 0xff, (byte) 0xff}, 0x4000 + 5);
        try (TestServer server = egress.tls("a.example", TestServer.answering("hello"))) {
            for (String policy : List.of(
                    "{'allowedHosts': ['a.example:PORT']}",
                    "{'allowedHosts': ['a.example:PORT']," + " 'tunnelHosts': ['a.example:PORT']}")) {
                Worker worker = egress.worker(EgressFixture.policy(policy, server.port()));
                try (TestClient client = egress.client(worker)) {
                    client.connect("a.example:" + server.port());
                    client.socket().getOutputStream().write(greeting);
                    int left = 100;
                    while (!client.isEnded()) {
                        assertTrue(left-- > 0, "it sends only the reason");
                    }
                }
            }
            assertTrue(server.requests().isEmpty());
        }
    }

    @Test
    void shouldServeNamesWithoutDotsAndAddresses() throws Exception {
        for (String host : List.of("alone", "127.0.0.1")) {
            try (TestServer server = egress.tls(host, TestServer.answering("hello"));
                    TestClient client = egress.client(allow(server.port()))) {
                String authority = host + ":" + server.port();
                assertEquals(
                        200,
                        client.connect(authority)
                                .tls(egress.trust(), host)
                                .send(get(authority, "/"))
                                .answer()
                                .status());
            }
        }
    }

    @Test
    void shouldKeepTheAuthorityAcrossStartsWithItsKeyClosedToOthers() throws Exception {
        Path state = folder.resolve("state");
        byte[] before = Files.readAllBytes(state.resolve("ca.crt"));
        CertificateAuthority.open(state, Instant.now());
        assertArrayEquals(before, Files.readAllBytes(state.resolve("ca.crt")));
        assertEquals(
                "rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(state.resolve("ca.key"))));
        Path other = Files.createDirectories(folder.resolve("other"));
        CertificateAuthority.open(other, Instant.now());
        assertNotEquals(Files.readString(state.resolve("ca.crt")), Files.readString(other.resolve("ca.crt")));
        CertificateAuthority.open(other, Instant.now().plusSeconds(3_650L * 86_400));
        assertTrue(Files.getLastModifiedTime(other.resolve("ca.crt")).toMillis() > 0);
    }

    /** An echo server without TLS and HTTP. */
    private static ServerSocket echo(String greeting) throws IOException {
        ServerSocket server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(() -> {
            try {
                while (true) {
                    Socket socket = server.accept();
                    Thread.ofVirtual().start(() -> {
                        try (socket;
                                InputStream in = socket.getInputStream()) {
                            socket.getOutputStream().write(greeting.getBytes(ISO_8859_1));
                            in.transferTo(socket.getOutputStream());
                            socket.getOutputStream().write("<end>".getBytes(ISO_8859_1));
                        } catch (IOException e) {
                            // The peer closed the connection.
                        }
                    });
                }
            } catch (IOException closed) {
                // The test ended.
            }
        });
        return server;
    }

    private Worker tunnel(int port) throws IOException {
        return egress.worker(EgressFixture.policy(
                "{'allowedHosts': ['a.example:PORT', 'b.example:PORT', '127.0.0.1:PORT'],"
                        + " 'tunnelHosts': ['a.example:PORT']}",
                port));
    }

    @Test
    void shouldPassThroughUnreadWhenTunnelHostsSaysSo() throws Exception {
        try (ServerSocket server = echo("greeting;");
                TestClient client = egress.client(tunnel(server.getLocalPort()))) {
            client.connect("a.example:" + server.getLocalPort());
            assertEquals("greeting;", new String(client.in().readNBytes(9), ISO_8859_1));
            client.send("SSH-2.0-x\r\n");
            assertEquals("SSH-2.0-x\r\n", new String(client.in().readNBytes(11), ISO_8859_1));
            client.socket().shutdownOutput();
            assertEquals("<end>", new String(client.in().readAllBytes(), ISO_8859_1));
        }
        egress.event(EgressEvent.Allowed.class);
        assertInstanceOf(AuditEvent.Tunnel.class, egress.audit().getFirst().event());
    }

    @Test
    void shouldShowThePinnedCertificateWhenTunnelled() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("hello"));
                TestClient client = egress.client(tunnel(server.port()))) {
            String authority = "a.example:" + server.port();
            client.connect(authority).tls(TestServers.client(egress.servers.root()), "a.example");
            assertEquals("hello", client.send(get(authority, "/")).answer().body());
        }
    }

    /** Otherwise one allowed name of a content delivery network would open all others on it. */
    @Test
    void shouldEndATunnelWhenTheNameInTlsIsAnother() throws Exception {
        try (TestServer server = egress.tls("b.example", TestServer.answering("hello"));
                TestClient client = egress.client(tunnel(server.port()))) {
            client.connect("a.example:" + server.port());
            assertThrows(IOException.class, () -> client.tls(TestServers.client(egress.servers.root()), "b.example"));
            assertTrue(server.requests().isEmpty());
        }
        assertTrue(egress.event(EgressEvent.Blocked.class).request().rule().contains("the name in TLS"));
    }

    @Test
    void shouldEndAConnectionWhenItSpeaksNeitherTlsNorHttp() throws Exception {
        try (ServerSocket server = echo("");
                TestClient client = egress.client(tunnel(server.getLocalPort()))) {
            client.connect("b.example:" + server.getLocalPort()).send("\0\1\2\3");
            assertTrue(client.isEnded());
        }
        assertTrue(egress.event(EgressEvent.Blocked.class).request().rule().contains("neither TLS nor HTTP"));
    }

    /** Its first letter could begin the name of a method. */
    @Test
    void shouldSayThatAConnectionSpeaksSsh() throws Exception {
        try (ServerSocket server = echo("");
                TestClient client = egress.client(tunnel(server.getLocalPort()))) {
            client.connect("b.example:" + server.getLocalPort()).send("S").send("SH-2.0-OpenSSH_9.2\r\n");
            assertTrue(client.isEnded());
        }
        assertTrue(egress.event(EgressEvent.Blocked.class).request().rule().contains("it speaks SSH"));
    }

    @Test
    void shouldSayThatTheClientBrokeOffWhenItDoesNotTrustUs() throws Exception {
        try (TestServer server = egress.tls("a.example", TestServer.answering("hello"));
                TestClient client = egress.client(allow(server.port()))) {
            client.connect("a.example:" + server.port());
            assertThrows(
                    SSLHandshakeException.class,
                    () -> client.tls(TestServers.client(egress.servers.root()), "a.example"));
        }
        assertEquals("a.example", egress.event(EgressEvent.TlsFailed.class).host());
    }

    /** Scenario: the wall got 127.0.0.9 for a name; connections to that address identify the name, without a proxy. */
    @Test
    void shouldFindTheNameWhenAConnectionComesWithoutAProxy() throws Exception {
        egress.names.put("a.example", List.of(InetAddress.getByName("127.0.0.9")));
        try (TestServer server = egress.tls("a.example", TestServer.answering("hello"))) {
            Worker worker = egress.worker(
                    EgressFixture.policy(
                            "{'allowedHosts': ['a.example:PORT', '127.0.0.1:PORT']," + " 'dnsMode': 'trusted'}",
                            server.port()),
                    WallSocket.Role.DNS_UDP);
            WallSocket transparent = EgressFixture.listen(WallSocket.Role.TRANSPARENT, "127.0.0.9", server.port());
            egress.server.add(worker.id(), transparent);
            assertArrayEquals(new byte[] {127, 0, 0, 9}, DnsTest.address(DnsTest.ask(worker, "a.example", 1)));
            egress.name("a.example");
            InetSocketAddress wanted = new InetSocketAddress("127.0.0.9", server.port());
            String authority = "a.example:" + server.port();
            try (TestClient client = new TestClient(wanted)) {
                client.tls(egress.trust(), "a.example");
                assertEquals("hello", client.send(get(authority, "/")).answer().body());
                assertEquals(
                        403,
                        client.send(get("b.example:" + server.port(), "/"))
                                .answer()
                                .status());
            }
            try (TestClient client = new TestClient(wanted)) {
                assertThrows(IOException.class, () -> client.tls(egress.trust(), "b.example"));
            }
            try (TestClient client = new TestClient(wanted)) {
                assertEquals(502, client.send(get(authority, "/")).answer().status());
                assertEquals(
                        403,
                        client.send(get("b.example:" + server.port(), "/"))
                                .answer()
                                .status());
            }
        }
    }

    @Test
    void shouldRefuseAnAddressWhenNobodyWasToldIt() throws Exception {
        Worker worker = egress.worker(EgressFixture.policy("{'allowedHosts': ['a.example']}", 0));
        WallSocket transparent = EgressFixture.listen(WallSocket.Role.TRANSPARENT, "127.0.0.8", 0);
        egress.server.add(worker.id(), transparent);
        InetSocketAddress wanted = new InetSocketAddress("127.0.0.8", transparent.port());
        try (TestClient client = new TestClient(wanted)) {
            Answer answer =
                    client.send(get("127.0.0.8:" + transparent.port(), "/")).answer();
            assertEquals(403, answer.status());
            assertTrue(answer.body().contains("allowedHosts does not have 127.0.0.8"), answer.body());
        }
        try (TestClient client = new TestClient(wanted)) {
            client.tls(egress.trust(), "127.0.0.8");
            assertEquals(
                    403,
                    client.send(get("127.0.0.8:" + transparent.port(), "/"))
                            .answer()
                            .status());
        }
    }

    @Test
    void shouldPassWebSocketsOn() throws Exception {
        try (TestServer server = egress.tls("a.example", (request, out) -> {
                    assertEquals("websocket", request.header("upgrade"));
                    TestServer.write(
                            out,
                            "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                                    + "Sec-WebSocket-Accept: x\r\n\r\nfirst;");
                    out.write(request.in().readNBytes(5));
                    out.flush();
                });
                TestClient client = egress.client(allow(server.port()))) {
            String authority = "a.example:" + server.port();
            client.connect(authority)
                    .tls(egress.trust(), "a.example")
                    .send(
                            "GET /ws HTTP/1.1\r\nHost: " + authority
                                    + "\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: k\r\nSec-WebSocket-Version: 13\r\n\r\n");
            Answer answer = client.answer();
            assertEquals(101, answer.status());
            assertEquals("x", answer.header("sec-websocket-accept"));
            assertEquals("first;", new String(client.in().readNBytes(6), ISO_8859_1));
            client.send("\201\003abc".substring(0, 5));
            assertEquals("\201\003abc", new String(client.in().readNBytes(5), ISO_8859_1));
        }
    }
}
