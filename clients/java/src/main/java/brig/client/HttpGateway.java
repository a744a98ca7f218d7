package brig.client;

import java.io.IOException;
import java.io.InputStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.net.http.WebSocketHandshakeException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** A gateway by its URL and a token: requests over HTTP, sessions over WebSockets. */
final class HttpGateway implements Gateway {
    /** As long as Brig lets a spawn wait. */
    private static final int WAIT_SECONDS_MAX = 300;
    /** Answers of a reverse proxy whose gateway is being started. */
    private static final Set<Integer> PASSING = Set.of(502, 503, 504);
    /** What a refused WebSocket leaves of Brig's code. */
    private static final Map<Integer, String> CODES = Map.of(
            401, "UNAUTHENTICATED", 403, "FORBIDDEN", 404, "NOT_FOUND", 410, "SESSION_ENDED", 400, "INVALID_FIELD");

    private final URI base;
    private final String authorization;
    private final HttpClient client = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(Duration.ofSeconds(15))
            .build();

    HttpGateway(URI base, String token) {
        boolean isHttp = "http".equals(base.getScheme()) || "https".equals(base.getScheme());
        if (!isHttp || base.getHost() == null || !token.matches("[A-Za-z0-9._~-]+")) {
            throw new BrigException("INVALID_FIELD", "a gateway over HTTP is http://HOST:PORT, and needs a token");
        }
        this.base = base;
        authorization = "Bearer " + token;
    }

    @Override
    public Frame ask(String action, Map<String, ? extends @Nullable Object> fields, Duration limit) {
        String id = encode(fields.get("id"));
        return switch (action) {
            case "spawn" -> spawn(fields, limit);
            case "status" -> send("GET", "spawns/" + id, null, limit);
            case "terminate" -> send("DELETE", "spawns/" + id, null, limit);
            case "asks" ->
                send(
                        "GET",
                        fields.get("tree") == null ? "asks" : "asks?tree=" + encode(fields.get("tree")),
                        null,
                        limit);
            case "answer_ask" -> send("POST", "asks/" + id, without(fields, "id"), limit);
            default -> throw new BrigException("UNKNOWN_ACTION", action + " is not spoken over HTTP by this client");
        };
    }

    /** First what is refused at once; then, under the same request id, what became of the worker. */
    private Frame spawn(Map<String, ? extends @Nullable Object> fields, Duration limit) {
        long end = System.nanoTime() + limit.toNanos();
        Object wait = fields.get("wait");
        Map<String, @Nullable Object> body = without(fields, "wait");
        send("POST", wait == null ? "spawns" : "spawns?wait=" + encode(wait), body, limit);
        while (true) {
            Duration rest = Duration.ofNanos(end - System.nanoTime());
            if (rest.toMillis() <= 0) {
                throw new BrigException("TIMEOUT", "the spawn took longer than " + limit);
            }
            long seconds = Math.min(WAIT_SECONDS_MAX, Math.max(1, rest.toSeconds()));
            Frame answer = send("POST", "spawns?wait=" + seconds + "s", body, rest);
            if (!answer.text("status", "").equals("requested")) {
                return answer;
            }
        }
    }

    private Frame send(String method, String path, @Nullable Map<String, @Nullable Object> body, Duration limit) {
        HttpRequest.BodyPublisher publisher = body == null
                ? HttpRequest.BodyPublishers.noBody()
                : HttpRequest.BodyPublishers.ofString(Json.write(body));
        HttpRequest request = HttpRequest.newBuilder(uri(base.getScheme(), path))
                .header("Authorization", authorization)
                .header("Content-Type", "application/json")
                .timeout(limit.isNegative() || limit.isZero() ? Duration.ofMillis(1) : limit)
                .method(method, publisher)
                .build();
        try {
            HttpResponse<InputStream> response = client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            byte[] read = read(response.body(), limit);
            if (response.statusCode() / 100 == 2) {
                return new Frame(Json.object(read));
            }
            throw refusal(response.statusCode(), read);
        } catch (HttpTimeoutException e) {
            throw new BrigException("TIMEOUT", path + " took longer than " + limit, e);
        } catch (ConnectException e) {
            throw BrigException.absent("cannot connect to " + base, e);
        } catch (IOException e) {
            throw new BrigException("CONNECTION_LOST", "the connection to " + base + " broke", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        }
    }

    private static byte[] read(InputStream body, Duration limit) throws IOException {
        Future<?> alarm = Gateway.after(limit, () -> {
            try {
                body.close();
            } catch (IOException e) {
                throw new BrigException("CONNECTION_LOST", "an answer cannot be closed", e);
            }
        });
        try (body) {
            byte[] read = body.readNBytes(ANSWER_BYTES_MAX + 1);
            if (read.length > ANSWER_BYTES_MAX) {
                throw new BrigException("PROTOCOL_VIOLATION", "an answer of more than " + ANSWER_BYTES_MAX + " bytes");
            }
            return read;
        } finally {
            alarm.cancel(false);
        }
    }

    /** What Brig says; what is not Brig's own has the status alone. */
    private static BrigException refusal(int status, byte[] body) {
        try {
            Map<String, @Nullable Object> problem = Json.object(body);
            if (problem.get("code") instanceof String) {
                return BrigException.of(problem);
            }
        } catch (BrigException e) {
            return withStatus(status, e);
        }
        return withStatus(status, null);
    }

    private static BrigException withStatus(int status, @Nullable Throwable cause) {
        String message = "the answer is HTTP " + status;
        if (PASSING.contains(status)) {
            return BrigException.absent(message, cause);
        }
        String code = CODES.getOrDefault(status, "CONNECTION_FAILED");
        return cause == null ? new BrigException(code, message) : new BrigException(code, message, cause);
    }

    @Override
    public Wire attach(Hello hello, Duration limit) {
        WebSocketWire wire = new WebSocketWire();
        String query = "?from=" + hello.from()
                + (hello.maxLatencyMs() == null ? "" : "&max_latency_ms=" + hello.maxLatencyMs())
                + (hello.role() == null ? "" : "&role=" + encode(hello.role()));
        URI uri = uri(
                "https".equals(base.getScheme()) ? "wss" : "ws", "sessions/" + encode(hello.id()) + "/attach" + query);
        try {
            client.newWebSocketBuilder()
                    .header("Authorization", authorization)
                    .subprotocols("brig.v1")
                    .buildAsync(uri, wire)
                    .get(Math.max(1, limit.toMillis()), TimeUnit.MILLISECONDS);
            return wire;
        } catch (ExecutionException e) {
            throw refusal(e.getCause());
        } catch (TimeoutException e) {
            // One that opens later is closed by its own first read.
            wire.close();
            throw new BrigException("TIMEOUT", "the session was not opened in " + limit, e);
        } catch (InterruptedException e) {
            wire.close();
            Thread.currentThread().interrupt();
            throw new CancellationException("interrupted");
        }
    }

    private BrigException refusal(@Nullable Throwable cause) {
        if (cause instanceof WebSocketHandshakeException handshake) {
            int status = handshake.getResponse().statusCode();
            // 409: the session starts. Its answer has a hint, which the JDK does not hand out.
            return status == 409 ? BrigException.absent("the session starts", cause) : withStatus(status, cause);
        }
        return BrigException.absent("cannot connect to " + base, cause);
    }

    private URI uri(String scheme, String path) {
        String folder = base.getRawPath() == null ? "" : base.getRawPath().replaceAll("/+$", "");
        return URI.create(scheme + "://" + base.getRawAuthority() + folder + "/api/v1/" + path);
    }

    private static String encode(@Nullable Object text) {
        return text == null
                ? ""
                : URLEncoder.encode(text.toString(), StandardCharsets.UTF_8).replace("+", "%20");
    }

    private static Map<String, @Nullable Object> without(Map<String, ? extends @Nullable Object> fields, String name) {
        Map<String, @Nullable Object> rest = new LinkedHashMap<>(fields);
        rest.remove(name);
        return rest;
    }
}
