package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Ids;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Requests made from the document that the gateway serves, right and wrong ones, with a fixed seed: every answer has a
 * status that the document names, and is what the document says of it.
 */
@Timeout(600)
@Order(7)
class ApiPropertyTest {
    private static final long SEED = 20261122;
    private static final int REQUESTS_EACH = 50;
    /** Each starts a brig-egress and ends it. */
    private static final int REQUESTS_OF_DOCTOR = 5;

    private static final int BODY_BYTES_MAX = 16 * 1024;
    private static final List<String> HOSTILE = List.of(
            "",
            " ",
            "a".repeat(3_000),
            "-1",
            "0",
            "1e9",
            "9".repeat(40),
            "null",
            "true",
            "../../etc/passwd",
            "'; DROP TABLE spawns; --",
            "\u0000",
            "ü€😀",
            "%",
            "{}",
            "[]",
            "\r\nX: y");
    private static final List<String> METHODS =
            List.of("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "BREW");

    private final Random random = new Random(SEED);
    private final Map<Integer, Integer> statuses = new TreeMap<>();
    private Product product;
    private OpenApi api;
    private String live;
    private String ended;
    private List<String> tokens;

    /** An answer, as far as it is one message: a stream is read up to its first byte. */
    private record Answer(int status, Map<String, String> headers, String body) {
        String type() {
            return headers.getOrDefault("content-type", "");
        }
    }

    private <T> T any(List<T> list) {
        return list.get(random.nextInt(list.size()));
    }

    private boolean oneIn(int n) {
        return random.nextInt(n) == 0;
    }

    @Test
    void shouldAnswerAsItsDocumentSaysWhateverIsAsked() throws IOException {
        try (Product started = Product.start(Map.of(
                "limits", Map.of("requestBodyBytes", (long) BODY_BYTES_MAX, "workersMax", 3L, "spawnQueueMax", 1L)))) {
            product = started;
            api = new OpenApi(started.web()
                    .with("")
                    .get("/api/v1/openapi.json")
                    .response()
                    .body());
            Spawned idle = started.idle("live");
            live = idle.id();
            Spawned over = started.shell("echo over");
            ended = over.id();
            try (Wire reader = over.attach("watcher")) {
                new Frames().readAll(reader);
            }
            tokens = List.of(
                    started.adminToken(),
                    started.adminToken(),
                    started.adminToken(),
                    "",
                    Ids.newToken(),
                    idle.captainToken(),
                    idle.watcherToken());
            for (OpenApi.Described operation : api.operations()) {
                if (isModel(operation)) {
                    endOthers();
                }
                int requests = operation.path().endsWith("/doctor") ? REQUESTS_OF_DOCTOR : REQUESTS_EACH;
                for (int i = 0; i < requests; i++) {
                    check(operation);
                }
            }
            checkMethods();
            assertEquals(200, started.web().get("/livez").status());
            assertTrue(
                    statuses.keySet().containsAll(List.of(101, 200, 201, 202, 400, 401, 403, 404, 405, 410, 413, 415)),
                    () -> "not all kinds of answers were met: " + statuses);
        }
    }

    private static boolean isModel(OpenApi.Described operation) {
        return operation.path().startsWith("/openai/");
    }

    /** An agent that is taken for a model is waited for, and so is a place for it. */
    private void endOthers() throws IOException {
        for (JsonObject session : product.web().get("/api/v1/sessions").json().objects("sessions")) {
            if (!session.text("spawn_id", "").equals(live)) {
                product.web().delete("/api/v1/spawns/" + session.text("spawn_id", ""));
            }
        }
        Await.until("only one is left", () -> sessions() == 1);
    }

    private int sessions() {
        try {
            return product.web()
                    .get("/api/v1/sessions")
                    .json()
                    .objects("sessions")
                    .size();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void check(OpenApi.Described operation) throws IOException {
        String token = any(tokens);
        boolean mustFail = operation.path().endsWith("/shutdown") && token.equals(product.adminToken());
        String target = target(operation);
        String request = request(operation, operation.method(), target, token, mustFail ? "{\"fly\":1}" : null);
        Answer answer;
        try {
            answer = ask(request);
        } catch (AssertionError e) {
            throw new AssertionError(SEED + ": no answer to " + request, e);
        }
        String what = SEED + ": " + request.replace(token.isEmpty() ? "no token" : token, "TOKEN") + "\n-> " + answer;
        assertTrue(answer.status() != 500, what);
        if (target.contains("%2e%2e")) {
            // The path without its dots is another one, which another operation answers.
            return;
        }
        if (operation.method().equals("HEAD")) {
            assertTrue(operation.node().path("responses").has(String.valueOf(answer.status())), what);
            return;
        }
        assertEquals("", api.faults(operation, answer.status(), answer.type(), answer.body()), what);
        // Clients of models read refusals in another form, which the document has.
        if (!isModel(operation)) {
            checkProblem(answer, what);
        }
    }

    private void checkProblem(Answer answer, String what) {
        statuses.merge(answer.status(), 1, Integer::sum);
        if (answer.status() < 400 || !answer.type().contains("json")) {
            return;
        }
        assertEquals("application/problem+json", answer.type(), what);
        JsonObject problem = JsonObject.read(answer.body().getBytes(StandardCharsets.UTF_8));
        assertEquals(
                answer.headers().getOrDefault("retry-after", "0"),
                String.valueOf(problem.number("retry_after_seconds", 0)),
                what);
        assertEquals(answer.status() == 401, answer.headers().containsKey("www-authenticate"), what);
    }

    /** Methods that a path does not have are refused, and the answer names those that it has. */
    private void checkMethods() throws IOException {
        Map<String, List<String>> there = new HashMap<>();
        api.operations()
                .forEach(operation -> there.computeIfAbsent(operation.path(), key -> new ArrayList<>())
                        .add(operation.method()));
        for (Map.Entry<String, List<String>> path : there.entrySet()) {
            for (String method : METHODS) {
                if (path.getValue().contains(method)) {
                    continue;
                }
                Answer answer = ask(
                        method + " " + filled(path.getKey().replace("{id}", live)) + " HTTP/1.1\r\n" + head("", ""));
                String what = method + " " + path.getKey() + " -> " + answer;
                if (method.equals("BREW")) {
                    assertTrue(answer.status() == 405 || answer.status() == 501 || answer.status() == 400, what);
                    continue;
                }
                assertEquals(405, answer.status(), what);
                statuses.merge(405, 1, Integer::sum);
                assertEquals(
                        path.getValue().stream().sorted().toList(),
                        List.of(answer.headers().getOrDefault("allow", "").split(", ")),
                        what);
                if (!method.equals("HEAD")) {
                    String schema = path.getKey().startsWith("/openai/")
                            ? "/components/schemas/modelError"
                            : "/components/responses/Problem405/content/application~1problem+json/schema";
                    assertEquals("", api.faults(schema, answer.body()), what);
                }
            }
        }
    }

    private String target(OpenApi.Described operation) {
        List<String> ids = new ArrayList<>(List.of(ended, "nobody", Ids.newSpawnId(1), "shell"));
        ids.addAll(List.of("%2e%2e%2f", "%00", "%zz", "%", "a".repeat(5_000), "%c3%28"));
        if (!operation.method().equals("DELETE")) {
            ids.addAll(List.of(live, "live", live, "live"));
        }
        String path = filled(operation.path().replace("{id}", any(ids)));
        StringBuilder query = new StringBuilder();
        for (JsonNode parameter : operation.parameters()) {
            if (parameter.path("in").asText().equals("query") && oneIn(3)) {
                // Nobody waits for as long as the example says.
                String value = value(api.resolved(parameter.path("schema"))).replace("30s", "1s");
                query.append(query.isEmpty() ? '?' : '&')
                        .append(parameter.path("name").asText())
                        .append('=')
                        .append(oneIn(20) ? "%zz" : encoded(value));
            }
        }
        if (oneIn(20)) {
            query.append(query.isEmpty() ? '?' : '&').append("unknown=1");
        }
        return path + query;
    }

    private String filled(String path) {
        return path.replace("{port}", any(List.of("3000", "1", "0", "65536", "x")))
                .replace("{path}", any(List.of("", "a/b", "?c")));
    }

    private static String encoded(String text) {
        StringBuilder out = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            out.append(
                    Character.isLetterOrDigit(b)
                            ? String.valueOf((char) b)
                            : String.format(Locale.ROOT, "%%%02x", b & 0xff));
        }
        return out.toString();
    }

    /** A value for a schema: mostly one that it allows, or just does or does not. */
    private String value(JsonNode schema) {
        if (oneIn(4)) {
            return any(HOSTILE);
        }
        if (schema.has("enum")) {
            return schema.path("enum")
                    .get(random.nextInt(schema.path("enum").size()))
                    .asText();
        }
        if (schema.path("type").asText().equals("integer")) {
            long min = schema.path("minimum").asLong(0);
            long max = schema.path("maximum").asLong(Long.MAX_VALUE / 2);
            return String.valueOf(any(List.of(min, max, min - 1, max + 1, min + 1)));
        }
        if (schema.path("type").asText().equals("boolean")) {
            return any(List.of("true", "false"));
        }
        return schema.has("examples") ? schema.path("examples").get(0).asText() : any(List.of(live, ended, "x"));
    }

    private String request(OpenApi.Described operation, String method, String target, String token, String forced) {
        StringBuilder more = new StringBuilder();
        if (target.contains("/attach") || target.contains("/ws")) {
            more.append(
                    oneIn(3)
                            ? ""
                            : String.join(
                                    "\r\n",
                                    "Upgrade: websocket",
                                    "Sec-WebSocket-Version: 13",
                                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
                                    ""));
            more.append(oneIn(4) ? "Sec-WebSocket-Protocol: other\r\n" : "Sec-WebSocket-Protocol: brig.v1\r\n");
        }
        if (oneIn(3)) {
            more.append("Accept: text/event-stream\r\n");
        }
        if (oneIn(10)) {
            more.append("Last-Event-ID: ")
                    .append(any(List.of("earliest", "zzzzzzzz-1", "x", "00000000-5")))
                    .append("\r\n");
        }
        if (oneIn(20)) {
            more.append("Origin: https://evil.example\r\n");
        }
        if (oneIn(30)) {
            more.append("X-Long: ").append("a".repeat(10_000)).append("\r\n");
        }
        String body = forced != null ? forced : operation.bodySchema().isMissingNode() ? "" : body(operation);
        if (!body.isEmpty() || !operation.bodySchema().isMissingNode()) {
            more.append(
                    oneIn(6) && forced == null
                            ? "Content-Type: "
                                    + any(List.of("text/plain", "application/xml", "multipart/form-data; boundary=x"))
                                    + "\r\n"
                            : "Content-Type: application/json\r\n");
            more.append("Content-Length: ")
                    .append(body.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n");
        }
        return method + " " + target + " HTTP/1.1\r\n" + head(token, more.toString()) + body;
    }

    private String head(String token, String more) {
        return "Host: 127.0.0.1\r\nConnection: " + (more.contains("Upgrade") ? "Upgrade" : "close") + "\r\n"
                + (token.isEmpty() ? "" : "Authorization: Bearer " + token + "\r\n") + more + "\r\n";
    }

    /** The example of the document, and that example with one thing changed; or something else altogether. */
    private String body(OpenApi.Described operation) {
        Map<String, Object> body = new LinkedHashMap<>(
                Json.parseObject(operation.bodyExample().toString().getBytes(StandardCharsets.UTF_8)));
        if (body.containsKey("spawn_id") && oneIn(2)) {
            body.put("spawn_id", live);
        }
        return switch (random.nextInt(9)) {
            case 0, 1, 2 -> text(body);
            case 3 ->
                any(List.of(
                        "",
                        "null",
                        "[]",
                        "7",
                        "\"x\"",
                        "{",
                        "{}",
                        "{\"a\":1,\"a\":2}",
                        "\u0000",
                        "{}{}",
                        "[".repeat(100),
                        "{\"a\":".repeat(50),
                        "x".repeat(BODY_BYTES_MAX + 1),
                        " ".repeat(BODY_BYTES_MAX + 1)));
            case 4 -> {
                body.remove(any(List.copyOf(body.keySet())));
                yield text(body);
            }
            case 5 -> {
                body.put("unknown_field", 1L);
                yield text(body);
            }
            default -> {
                JsonNode properties = api.resolved(operation.bodySchema()).path("properties");
                List<String> names = new ArrayList<>(body.keySet());
                properties.fieldNames().forEachRemaining(names::add);
                String name = any(names);
                body.put(
                        name,
                        any(List.of(
                                any(HOSTILE),
                                -1L,
                                Long.MAX_VALUE,
                                true,
                                List.of(),
                                List.of(1L),
                                Map.of(),
                                Map.of("name", 7L),
                                1.5)));
                if (oneIn(3) && properties.has(name)) {
                    body.put(name, value(api.resolved(properties.path(name))));
                }
                yield text(body);
            }
        };
    }

    private static String text(Map<String, ?> body) {
        return new String(Json.write(body), StandardCharsets.UTF_8);
    }

    private Answer ask(String request) throws IOException {
        try (Wire wire = Wire.tcp("127.0.0.1", URI.create(product.url()).getPort())) {
            wire.send(request);
            String first = wire.line();
            assertTrue(first != null && first.startsWith("HTTP/1."), () -> "no answer to " + request);
            Map<String, String> headers = new HashMap<>();
            for (String line = wire.line(); line != null && !line.isBlank(); line = wire.line()) {
                String[] field = line.split(":", 2);
                headers.put(field[0].toLowerCase(Locale.ROOT), field[1].strip());
            }
            int status = Integer.parseInt(first.substring(9, 12));
            boolean endless =
                    status == 101 || headers.getOrDefault("content-type", "").startsWith("text/event-stream");
            return new Answer(
                    status,
                    headers,
                    endless || request.startsWith("HEAD")
                            ? ""
                            : wire.text(Integer.parseInt(headers.getOrDefault("content-length", "0"))));
        }
    }
}
