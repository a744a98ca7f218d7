package brig.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class HttpGatewayTest {
    private static final Duration LIMIT = Duration.ofSeconds(50);
    private static final String TOKEN = "brig_dGhpcy1pcy1ub3QtYS1yZWFsLXRva2VuLTAxMjM0NTY";

    private final Deque<Answer> answers = new ArrayDeque<>();
    private final List<String> requests = new ArrayList<>();
    private HttpServer server;
    private HttpGateway gateway;

    private record Answer(int status, String body) {}

    @BeforeEach
    void begin() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::handle);
        server.start();
        gateway = new HttpGateway(
                URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/brig/"), TOKEN);
    }

    @AfterEach
    void end() {
        server.stop(0);
    }

    private synchronized void handle(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals("Bearer " + TOKEN, exchange.getRequestHeaders().getFirst("Authorization"));
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
        Answer answer = answers.remove();
        byte[] bytes = answer.body().getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(answer.status(), bytes.length == 0 ? -1 : bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private BrigException refused(int status, String body) {
        answers.add(new Answer(status, body));
        return assertThrows(BrigException.class, () -> gateway.ask("status", Map.of("id", "a/b ?"), LIMIT));
    }

    @Test
    void shouldAskForTheWorkerUnderTheSameRequestId() {
        answers.add(new Answer(202, "{\"status\":\"requested\"}"));
        answers.add(new Answer(202, "{\"status\":\"requested\"}"));
        answers.add(new Answer(201, "{\"status\":\"spawned\",\"spawn_id\":\"spn_1\"}"));
        Frame answer = gateway.ask("spawn", Map.of("request_id", "u", "wait", "5s"), LIMIT);
        assertEquals("spn_1", answer.text("spawn_id"));
        assertEquals("POST /brig/api/v1/spawns?wait=5s {\"request_id\":\"u\"}", requests.get(0));
        assertTrue(
                requests.get(2).matches("POST /brig/api/v1/spawns\\?wait=\\d+s \\{\"request_id\":\"u\"}"),
                requests::toString);
    }

    @Test
    void shouldSendEachActionToItsPlace() {
        for (int i = 0; i < 4; i++) {
            answers.add(new Answer(200, "{}"));
        }
        gateway.ask("asks", Map.of("tree", "a&b"), LIMIT);
        gateway.ask("asks", Map.of(), LIMIT);
        gateway.ask("answer_ask", Map.of("id", "ask_1", "option", "allow"), LIMIT);
        gateway.ask("terminate", Map.of("id", "spn_1"), LIMIT);
        assertEquals(
                List.of(
                        "GET /brig/api/v1/asks?tree=a%26b ",
                        "GET /brig/api/v1/asks ",
                        "POST /brig/api/v1/asks/ask_1 {\"option\":\"allow\"}",
                        "DELETE /brig/api/v1/spawns/spn_1 "),
                requests);
        assertEquals(
                "UNKNOWN_ACTION",
                assertThrows(BrigException.class, () -> gateway.ask("diff", Map.of(), LIMIT))
                        .code());
    }

    @Test
    void shouldHaveBrigsCodeOrTheStatus() {
        BrigException own = refused(429, "{\"code\":\"MAX_WORKERS\",\"detail\":\"all\",\"retry_after_seconds\":5}");
        assertEquals("MAX_WORKERS all 5.0", own.code() + " " + own.getMessage() + " " + own.retryAfterSeconds());
        assertEquals("GET /brig/api/v1/spawns/a%2Fb%20%3F ", requests.get(0));
        assertTrue(refused(502, "<html>").isPassing());
        assertEquals("UNAUTHENTICATED", refused(401, "").code());
        assertEquals("CONNECTION_FAILED", refused(418, "[]").code());
    }

    @Test
    void shouldRefuseWhatIsNoAnswer() {
        assertEquals("PROTOCOL_VIOLATION", refused(200, "[]").code());
        assertEquals("PROTOCOL_VIOLATION", refused(200, "").code());
        String tooLong = "{}" + " ".repeat(Gateway.ANSWER_BYTES_MAX - 1);
        assertEquals("PROTOCOL_VIOLATION", refused(200, tooLong).code());
    }

    @Test
    void shouldRefusePlacesAndTokensThatAreNone() {
        for (String place : List.of("ftp://127.0.0.1", "http:nowhere", "/spawner.sock")) {
            assertThrows(BrigException.class, () -> new HttpGateway(URI.create(place), TOKEN), place);
        }
        assertThrows(BrigException.class, () -> new HttpGateway(URI.create("http://127.0.0.1"), "a\r\nX: y"));
    }
}
