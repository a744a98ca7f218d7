package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.Limits;
import java.io.IOException;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong over HTTP and WebSocket is named, and touches nobody else. */
@Timeout(60)
class WebRefusalsTest {
    private static final int BODY_BYTES_MAX = 64 * 1024;

    private static Product product;
    private static Beside beside;
    private static Web web;

    @BeforeAll
    static void start() throws IOException {
        product = Product.start(Map.of("limits", Map.of("requestBodyBytes", BODY_BYTES_MAX)));
        beside = new Beside(product);
        web = product.web();
    }

    @AfterEach
    void requireUntouched() throws IOException {
        beside.requireUntouched();
    }

    @AfterAll
    static void stop() throws IOException {
        beside.close();
        product.close();
    }

    private static void requireProblem(int status, String code, Web.Answer answer) {
        assertEquals(status, answer.status(), () -> answer.response().body());
        assertEquals("application/problem+json", answer.header("Content-Type"));
        assertEquals(code, answer.code());
        assertEquals(status, answer.json().number("status", 0));
        assertFalse(answer.json().text("detail", "").isEmpty());
    }

    /** Whoever opens an answer in a browser sees it as data, whatever an agent wrote into it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/livez",
                "/readyz",
                "/metrics",
                "/api/v1/openapi.json",
                "/api/v1/asyncapi.json",
                "/api/v1/spawns",
                "/api/v1/sessions",
                "/api/v1/agents",
                "/api/v1/audit",
                "/api/v1/status",
                "/api/v1/events",
                "/api/v1/tokens",
                "/api/v1/workspaces",
                "/openai/v1/models",
                "/nothing",
                "/assets/nothing",
                "/api/v1/spawns/%3Cb%3E",
                "/api/v1/sessions?limit=%3Cb%3E",
                "/api/v1/ws",
                "/api/v1/sessions/none/stream",
                "/api/v1/spawns?%3Cb%3E=1"
            })
    void shouldLetNoBrowserTakeAnAnswerForMarkup(String path) throws IOException {
        for (Web who : List.of(web, web.with(""))) {
            Web.Answer answer = who.get(path);
            assertEquals("nosniff", answer.header("X-Content-Type-Options"), () -> path + " " + answer.status());
            assertTrue(
                    answer.header("Content-Type").matches("(text/plain|application/([a-z.]+\\+)?json)\\b.*"),
                    () -> path + " " + answer.header("Content-Type"));
        }
        try (Events events = web.events(beside.spawned().id(), "")) {
            assertEquals(
                    "nosniff text/event-stream; charset=utf-8",
                    events.header("X-Content-Type-Options") + " " + events.header("Content-Type"));
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nonsense                       | 400 | MALFORMED_JSON",
                "{}                             | 400 | INVALID_FIELD",
                "{\"agent_config\":{\"name\":\"shell\"},\"action\":\"spawn\"} | 400 | INVALID_FIELD",
                "{\"agent_config\":{\"name\":\"nobody\"}} | 404 | UNKNOWN_AGENT",
                "{\"task_id\":\"beside\",\"agent_config\":{\"name\":\"shell\"}} | 409 | TASK_ID_IN_USE",
                "{\"workspace\":\"/etc\",\"agent_config\":{\"name\":\"shell\"}} | 403 | WORKSPACE_OUTSIDE_BASE"
            })
    void shouldRefuseSpawnWhenBodyIsWrong(String body, int status, String code) throws IOException {
        requireProblem(status, code, web.post("/api/v1/spawns", body));
    }

    @Test
    void shouldRefuseSpawnWhenBodyIsTooLarge() throws IOException {
        requireProblem(413, "BODY_TOO_LARGE", web.post("/api/v1/spawns", " ".repeat(BODY_BYTES_MAX + 1)));
    }

    @Test
    void shouldAnswerAuthenticateWhenTokenIsMissingOrWrong() throws IOException {
        Spawned other = product.shell("echo other");
        String session = "/api/v1/sessions/beside/stream";
        for (String token : new String[] {"", Ids.newToken(), "short", other.captainToken(), other.watcherToken()}) {
            for (String path : new String[] {session, "/api/v1/spawns/beside"}) {
                Web.Answer answer = web.with(token).get(path);
                requireProblem(
                        401,
                        token.isEmpty() && path.equals(session) ? "ATTACH_AUTH_MISSING" : "UNAUTHENTICATED",
                        answer);
                assertTrue(answer.header("WWW-Authenticate").startsWith("Bearer"));
            }
        }
        try (Wire reader = other.attach("watcher")) {
            new Frames().readAll(reader);
        }
    }

    @Test
    void shouldKeepSessionTokensToTheirSessionWhenUsedForMore() throws IOException {
        Web captain = web.with(beside.spawned().captainToken());
        assertEquals(200, captain.get("/api/v1/spawns/beside").status());
        requireProblem(403, "FORBIDDEN", captain.get("/api/v1/spawns"));
        requireProblem(403, "FORBIDDEN", captain.post("/api/v1/spawns", "{\"agent_config\":{\"name\":\"shell\"}}"));
        Web watcher = web.with(beside.spawned().watcherToken());
        assertEquals(200, watcher.get("/api/v1/spawns/beside").status());
        requireProblem(403, "FORBIDDEN", watcher.delete("/api/v1/spawns/beside"));
    }

    @Test
    void shouldRefusePathsAndMethodsWhenThereAreNone() throws IOException {
        requireProblem(404, "NOT_FOUND", web.get("/api/v1/nothing"));
        requireProblem(404, "NOT_FOUND", web.get("/api/v1/spawns/nobody"));
        requireProblem(404, "NOT_FOUND", web.get("/api/v1/sessions/nobody/stream"));
        requireProblem(405, "METHOD_NOT_ALLOWED", web.delete("/api/v1/spawns"));
    }

    @Test
    void shouldRefusePositionWhenItIsNone() throws IOException {
        requireProblem(400, "INVALID_FIELD", web.get("/api/v1/sessions/beside/stream?last_event_id=7"));
        requireProblem(
                400,
                "INVALID_FIELD",
                web.get("/api/v1/sessions/beside/stream?last_event_id=zzzzzzzz-" + Limits.SEQ_MAX));
    }

    @Test
    void shouldForbidWhenOriginIsNotListed() throws IOException {
        requireProblem(
                403, "FORBIDDEN", web.send(web.request("/api/v1/spawns").header("Origin", "https://evil.example")));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/      | Host: evil.example                   | 403",
                "/livez | Host: evil.example                   | 403",
                "/readyz | Host: localhost.evil.example         | 403",
                "/livez | Host: evil.example:7070              | 403",
                "/      | Host: 192.0.2.7                      | 403",
                "/livez | Host: 192.0.2.7:7070                 | 200",
                "/livez | Host: [2001:db8::7]                  | 200",
                "/livez | X: no host                           | 200",
                "/      | Host: localhost                      | 200",
                "/livez | Host: localhost                      | 200",
                "/livez | Host: localhost~Host: localhost      | 400",
                "/      | Host: localhost~Host: evil.example   | 400",
                "/api/v1/openapi.json | Host: localhost~Host: localhost | 400",
                "/api/v1/spawns | Host: evil.example~Host: localhost | 400"
            })
    void shouldAnswerOnlyUnderItsOwnNamesAndHealthChecksUnderAddresses(String path, String headers, int status)
            throws IOException {
        URI uri = URI.create(web.url());
        try (Wire wire = Wire.tcp(uri.getHost(), uri.getPort())) {
            wire.send("GET " + path + " HTTP/1.0\r\n" + headers.replace("~", "\r\n") + "\r\nConnection: close\r\n\r\n");
            String answer = wire.rest();
            assertTrue(
                    answer.startsWith("HTTP/1.0 " + status + " ") || answer.startsWith("HTTP/1.1 " + status + " "),
                    answer);
        }
    }

    @Test
    void shouldForbidWhenHostIsAnother() throws IOException {
        // Scenario: a page of evil.example whose name now leads here, as DNS rebinding does it. It even has a
        // token.
        try (Wire wire = Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
            wire.send("GET /api/v1/spawns HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n"
                    + "Authorization: Bearer "
                    + product.adminToken() + "\r\n\r\n");
            String answer = wire.rest();
            assertTrue(answer.startsWith("HTTP/1.1 403"), answer);
            assertTrue(answer.contains("\"code\":\"FORBIDDEN\""), answer);
        }
    }

    /** CVE-2026-50020; and HTTP/2, which has advisories of its own, is spoken by nobody here. */
    @ParameterizedTest
    @ValueSource(strings = {"\0", "\u0001", "\u007f", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"})
    void shouldRefuseWhatStandsInFrontOfARequest(String front) throws IOException {
        try (Wire wire = Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
            wire.send(front + "GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
            String answer = wire.rest();
            assertFalse(answer.contains(" 200 "), answer);
        }
    }

    @Test
    void shouldSayWhyAndCloseWhenWebSocketDoesNotAuthenticate() throws IOException {
        requireClosed("{\"auth\":\"" + Ids.newToken() + "\"}", "UNAUTHENTICATED", 4520);
        requireClosed(Spawned.user("echo no"), "ATTACH_AUTH_MISSING", 4523);
        requireClosed("nonsense", "MALFORMED_JSON", 4500);
    }

    private static void requireClosed(String firstLine, String code, int closeCode) throws IOException {
        try (Socket socket = web.with("").socket("/api/v1/sessions/beside/attach")) {
            assertEquals(code, socket.sendLine(firstLine).message().text("code"));
            assertNull(socket.line());
            assertEquals(closeCode, socket.closeCode());
        }
    }

    @Test
    void shouldRefuseLineAndStayOpenWhenWebSocketCaptainSendsNonsense() throws IOException {
        Web captain = web.with(beside.spawned().captainToken());
        try (Socket socket = captain.socket("/api/v1/sessions/beside/attach?from=" + Limits.SEQ_MAX)) {
            assertEquals("authenticated", socket.message().text("type"));
            assertEquals("MALFORMED_JSON", socket.sendLine("nonsense").message().text("code"));
            assertEquals(
                    "UNKNOWN_ACTION",
                    socket.sendLine("{\"action\":\"fly\"}").message().text("code"));
            assertEquals(
                    "pong", socket.sendLine("{\"action\":\"ping\"}").message().text("type"));
        }
    }

    @Test
    void shouldReadGoodLineWhenBadOneStandsBeforeItInOneMessage() throws IOException {
        Web captain = web.with(beside.spawned().captainToken());
        for (String path : new String[] {"/api/v1/sessions/beside/attach?from=" + Limits.SEQ_MAX, "/api/v1/ws"}) {
            try (Socket socket = captain.socket(path)) {
                if (path.contains("attach")) {
                    assertEquals("authenticated", socket.message().text("type"));
                }
                socket.sendLine("nonsense\n{\"action\":\0\"ping\"}\n\n{\"action\":\"ping\"}");
                assertEquals("MALFORMED_JSON", socket.message().text("code"));
                assertEquals("NUL_BYTE", socket.message().text("code"));
                assertEquals("pong", socket.message().text("type"));
            }
        }
    }

    @Test
    void shouldForbidToSpeakWhenWebSocketWatches() throws IOException {
        Web watcher = web.with(beside.spawned().watcherToken());
        try (Socket socket = watcher.socket("/api/v1/sessions/beside/attach?from=" + Limits.SEQ_MAX)) {
            assertEquals("watcher", socket.message().text("role"));
            assertEquals(
                    "FORBIDDEN",
                    socket.sendLine(Spawned.user("echo no")).message().text("code"));
            assertEquals(
                    "FORBIDDEN",
                    socket.sendLine("{\"action\":\"terminate\"}").message().text("code"));
        }
    }

    @Test
    void shouldRefuseSubscriptionWhenMultiplexedTokenIsOfAnother() throws IOException {
        try (Socket socket = web.with("").socket("/api/v1/ws")) {
            socket.sendLine("{\"action\":\"subscribe\",\"id\":\"beside\",\"token\":\"" + Ids.newToken() + "\"}");
            assertEquals("UNAUTHENTICATED", socket.message().text("code"));
            socket.sendLine("{\"action\":\"send\",\"id\":\"beside\",\"content\":\"echo no\"}");
            assertEquals("UNAUTHENTICATED", socket.message().text("code"));
            assertEquals(
                    "pong", socket.sendLine("{\"action\":\"ping\"}").message().text("type"));
        }
    }
}
