package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Servers that an agent runs behind a real wall without any network, reached from outside: kind ones and hostile ones. */
@Timeout(120)
class PortsTest {
    private static final int CONNECTIONS_MAX = 8;
    private static final int BIG = 20_000_000;

    private static Product product;
    private static Spawned spawned;
    private static Wire captain;

    @BeforeAll
    static void start() throws IOException {
        Assumptions.assumeTrue(Files.exists(Path.of("/usr/bin/perl")), "perl is not here");
        product = Product.start(Map.of("worker", Map.of("portConnectionsMax", (long) CONNECTIONS_MAX)));
        spawned = product.idle("serves");
        Files.copy(
                Path.of("src/e2e/resources/brig/gateway/e2e/server.pl"),
                spawned.workspace().resolve("server.pl"));
        captain = spawned.captain();
        captain.sendLine(Spawned.user("perl server.pl"));
        new Frames().readUntil(captain, frame -> frame.text("content", "").contains("up"));
    }

    @AfterAll
    static void stop() throws IOException {
        if (product != null) {
            captain.close();
            product.close();
        }
    }

    private static String path(String rest) {
        return "/api/v1/sessions/serves/ports/3000" + rest;
    }

    private static Web web() throws IOException {
        return product.web().with(spawned.captainToken());
    }

    @Test
    void shouldPassARequestOnWithoutWhatLetsTheClientIn() throws IOException {
        Web.Answer answer = web().send(web().request(path("/head?a=%20b"))
                .header("Cookie", "sso=1; brig-port-3000-own=2")
                .header("X-Kept", "yes")
                .header("Referer", product.url() + "/secret"));
        assertEquals(200, answer.status(), () -> answer.response().body());
        String seen = answer.response().body();
        assertTrue(seen.startsWith("GET /head?a=%20b HTTP/1.1\r\n"), seen);
        assertTrue(seen.contains("Host: 127.0.0.1:3000\r\n") && seen.contains("Cookie: own=2\r\n"), seen);
        assertTrue(seen.toLowerCase(Locale.ROOT).contains("x-kept: yes"), seen);
        assertFalse(
                seen.contains("brig_")
                        || seen.contains("sso")
                        || seen.toLowerCase(Locale.ROOT).contains("referer")
                        || seen.toLowerCase(Locale.ROOT).contains("authorization"),
                seen);
        assertTrue(answer.header("Content-Security-Policy").startsWith("sandbox"));
    }

    @Test
    void shouldNotLetTheServerSpeakForBrig() throws IOException {
        Web.Answer answer = web().get(path("/hostile"));
        assertEquals(
                List.of("brig-port-3000-brig=x; HttpOnly; Path=" + path("/")),
                answer.response().headers().allValues("Set-Cookie"));
        assertEquals(
                "",
                answer.header("Clear-Site-Data")
                        + answer.header("Strict-Transport-Security")
                        + answer.header("Access-Control-Allow-Origin")
                        + answer.header("X-Hop")
                        + answer.header("WWW-Authenticate"));
        assertEquals(path("/in"), answer.header("Location"));
        assertEquals(302, answer.status());
    }

    @Test
    void shouldStreamBodiesBothWaysHoweverLarge() throws IOException {
        assertEquals(BIG, web().get(path("/big")).response().body().length());
        byte[] body = new byte[BIG];
        for (HttpRequest.BodyPublisher publisher : List.of(
                HttpRequest.BodyPublishers.ofByteArray(body),
                HttpRequest.BodyPublishers.fromPublisher(HttpRequest.BodyPublishers.ofByteArray(body)))) {
            assertEquals(
                    BIG + " bytes",
                    web().send(web().request(path("/count")).PUT(publisher))
                            .response()
                            .body());
        }
        Web.Answer head = web().send(web().request(path("/big")).HEAD());
        assertEquals(200, head.status());
        assertEquals(
                "204 ",
                web().get(path("/none")).status() + " "
                        + web().get(path("/none")).response().body());
    }

    @Test
    void shouldTellWhenTheServerGivesNoAnswerAndBreakOffWhereItDoes() throws IOException {
        for (String broken : List.of("/garbage", "/close", "/switch", "/longhead")) {
            Web.Answer answer = web().get(path(broken));
            assertEquals(broken + " 502 AGENT_SERVER_FAILED", broken + " " + answer.status() + " " + answer.code());
        }
        try (Wire wire = Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
            wire.send("GET " + path("/cut") + " HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer "
                    + spawned.captainToken() + "\r\n\r\n");
            String answer = wire.rest();
            assertTrue(answer.startsWith("HTTP/1.1 200 ") && answer.endsWith("only this"), answer);
        }
        assertEquals(200, web().get(path("/head")).status());
    }

    @Test
    void shouldPassAWebSocket() throws IOException {
        try (Wire wire = Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
            wire.send("GET " + path("/ws")
                    + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: keep-alive, Upgrade\r\nUpgrade: websocket\r\n"
                    + "Sec-WebSocket-Key: x\r\nAuthorization: Bearer " + spawned.captainToken() + "\r\n\r\n");
            List<String> head = new ArrayList<>();
            for (String line = wire.line(); line != null && !line.isBlank(); line = wire.line()) {
                head.add(line.strip().toLowerCase(Locale.ROOT));
            }
            assertTrue(head.getFirst().startsWith("http/1.1 101 "), head::toString);
            assertTrue(head.contains("upgrade: websocket") && head.contains("sec-websocket-accept: y"), head::toString);
            assertEquals("early", wire.line());
            wire.send("ping\n");
            assertEquals("echo ping", wire.line());
            wire.send("end\n");
            assertEquals("", wire.rest());
        }
    }

    @Test
    void shouldLetOnlyCaptainsIn() throws IOException {
        assertEquals(
                "FORBIDDEN",
                product.web().with(spawned.watcherToken()).get(path("/head")).code());
        assertEquals(401, product.web().with("").get(path("/head")).status());
        assertEquals(
                "UNAUTHENTICATED",
                product.web()
                        .with(product.idle("another").captainToken())
                        .get(path("/head"))
                        .code());
        assertEquals(
                "FORBIDDEN",
                web().send(web().request(path("/head")).header("Origin", "https://evil.example"))
                        .code());
        assertEquals(
                "FORBIDDEN",
                web().send(web().request(path("/sw.js")).header("Service-Worker", "script"))
                        .code());
        assertEquals(
                "NOT_FOUND", web().get("/api/v1/sessions/serves/ports/3001/").code());
        assertEquals(
                "INVALID_FIELD", web().get("/api/v1/sessions/serves/ports/0/").code());
        assertEquals(
                "INVALID_FIELD",
                web().get("/api/v1/sessions/serves/ports/99999/").code());
        assertEquals("NOT_FOUND", web().get(path("?x=1")).code(), "a page's links need the slash");
    }

    @Test
    void shouldBoundConnectionsToOneWorkerAndGiveThemBack() throws IOException {
        List<Wire> held = new ArrayList<>();
        try {
            for (int i = 0; i < CONNECTIONS_MAX; i++) {
                Wire wire = product.dial();
                wire.send("{\"action\":\"port\",\"id\":\"serves\",\"port\":3000}");
                assertEquals(3000, wire.message().number("port", 0));
                held.add(wire);
            }
            Web.Answer refused = web().get(path("/head"));
            assertEquals("MAX_CONNECTIONS", refused.code());
            assertTrue(refused.json().text("detail", "").contains("worker.portConnectionsMax (8)"));
        } finally {
            for (Wire wire : held) {
                wire.close();
            }
        }
        Await.until("there is room again", () -> web().get(path("/head")).status() == 200);
    }

    @Test
    void shouldRefuseWhatIsNoPort() throws IOException {
        for (String wrong : List.of(
                "{\"action\":\"port\",\"id\":\"serves\"}",
                "{\"action\":\"port\",\"id\":\"serves\",\"port\":0}",
                "{\"action\":\"port\",\"id\":\"serves\",\"port\":3000,\"x\":1}",
                "{\"action\":\"port\",\"port\":3000}")) {
            assertEquals("INVALID_FIELD", product.ask(wrong).text("code"), wrong);
        }
        assertEquals(
                "NOT_FOUND",
                product.ask("{\"action\":\"port\",\"id\":\"serves\",\"port\":9}")
                        .text("code"));
        try (Wire wire = product.dial()) {
            wire.send("{\"action\":\"port\",\"id\":\"serves\",\"port\":3000}\n{\"action\":\"agents\"}");
            assertEquals("INVALID_FIELD", wire.message().text("code"), "the port is not there yet");
            assertEquals("", wire.rest());
        }
        Path socket = product.runtime().resolve("w/link.sock");
        for (String wrong : List.of(
                "\n",
                "{}\n",
                "[1]\n",
                "{\"link\":\"port\",\"spawn_id\":\"../x\",\"port\":3000}\n",
                "{\"link\":\"port\",\"spawn_id\":\"spn_000000000000000000000000\",\"port\":3000}\n",
                "\u0000\n",
                "x".repeat(5_000),
                "{\"link\":\"port\",\"spawn_id\":\"" + spawned.id() + "\",\"port\":70000}\n")) {
            try (Wire wire = Wire.unix(socket)) {
                wire.send(wrong);
                assertTrue(wire.message().has("code"), wrong);
            }
        }
    }

    @Test
    void shouldForwardALocalPortAndPassOnWhoEnds() throws Exception {
        Process forwards =
                new ProcessBuilder(product.command("port", "serves", "3000", "--listen", "127.0.0.1:0")).start();
        try (BufferedReader out = forwards.inputReader()) {
            String line = out.readLine();
            assertTrue(line.startsWith("http://127.0.0.1:") && line.endsWith(" is port 3000 of serves"), line);
            URI uri = URI.create(line.split(" ", 2)[0]);
            Web.Answer answer = new Web(uri.toString(), "").get("/head");
            assertTrue(
                    answer.response().body().contains("Host: 127.0.0.1:" + uri.getPort()),
                    "as it is, for it is not Brig's origin");
            try (Wire wire = Wire.tcp("127.0.0.1", uri.getPort())) {
                wire.send("GET /until-end HTTP/1.0\r\n\r\nsome text").endOutput();
                assertEquals("9 bytes until the end", wire.rest());
            }
            assertEquals(
                    BIG,
                    new Web(uri.toString(), "").get("/big").response().body().length());
        } finally {
            forwards.destroy();
        }
        Run nobody = product.brig("port", "nobody", "3000");
        assertEquals(125, nobody.exitCode());
        assertTrue(nobody.err().contains("NOT_FOUND"), nobody::err);
        Run taken = product.brig(
                "port",
                "serves",
                "3000",
                "--listen",
                "127.0.0.1:" + URI.create(product.url()).getPort());
        assertTrue(taken.err().contains("--listen"), taken::err);
        assertEquals(125, product.brig("port", "serves", "0").exitCode());
        assertEquals(2, product.brig("port", "serves").exitCode());
    }

    @Test
    void shouldCutAConnectionWhenItsTokenIsTakenBack() throws IOException {
        Web admin = product.web();
        var token = admin.post("/api/v1/tokens", "{\"role\":\"captain\",\"captain\":\"ci\",\"session\":\"serves\"}")
                .json();
        try (Wire wire = Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
            wire.send("GET " + path("/ws")
                    + " HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
                    + "Authorization: Bearer " + token.text("token", "") + "\r\n\r\n");
            for (String line = wire.line(); line != null && !line.equals("early"); line = wire.line()) {
                assertFalse(line.startsWith("HTTP/1.1 4"), line);
            }
            assertEquals(
                    200, admin.delete("/api/v1/tokens/" + token.text("id", "")).status());
            assertEquals("", wire.rest());
        }
    }
}
