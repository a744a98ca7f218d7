package brig.gateway.e2e;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/**
 * The HTTP interface over TCP, with the JDK's client. The token goes into every request; it is empty for
 * none.
 */
record Web(String url, String token) {
    private static final HttpClient CLIENT =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** An answer; every refusal is a problem document. */
    record Answer(int status, HttpResponse<String> response) {
        JsonObject json() {
            return JsonObject.read(response.body().getBytes(StandardCharsets.UTF_8));
        }

        public String code() {
            return json().text("code", "");
        }

        String header(String name) {
            return response.headers().firstValue(name).orElse("");
        }
    }

    Web with(String other) {
        return new Web(url, other);
    }

    HttpRequest.Builder request(String path) {
        HttpRequest.Builder request =
                HttpRequest.newBuilder(URI.create(url + path)).timeout(Duration.ofSeconds(Await.DEADLINE_SECONDS));
        return token.isEmpty() ? request : request.header("Authorization", "Bearer " + token);
    }

    Answer send(HttpRequest.Builder request) throws IOException {
        HttpResponse<String> response = send(request.build(), HttpResponse.BodyHandlers.ofString());
        return new Answer(response.statusCode(), response);
    }

    Answer get(String path) throws IOException {
        return send(request(path));
    }

    Answer delete(String path) throws IOException {
        return send(request(path).DELETE());
    }

    Answer post(String path, String body) throws IOException {
        return send(request(path)
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /** Follows a stream behind a position, or from its beginning where that is empty. */
    Events events(String id, String lastEventId) throws IOException {
        return follow("/api/v1/sessions/" + id + "/stream", lastEventId);
    }

    /** Follows events of any path. */
    Events follow(String path, String lastEventId) throws IOException {
        HttpRequest.Builder request = request(path).header("Accept", "text/event-stream");
        if (!lastEventId.isEmpty()) {
            request.header("Last-Event-ID", lastEventId);
        }
        HttpResponse<InputStream> response = send(request.build(), HttpResponse.BodyHandlers.ofInputStream());
        if (response.statusCode() != 200) {
            throw new AssertionError("no stream: " + response);
        }
        return new Events(response);
    }

    /** Opens a WebSocket at a path of the interface. */
    Socket socket(String path) {
        return Socket.open(CLIENT, URI.create(url.replace("http", "ws") + path), token);
    }

    private static <T> HttpResponse<T> send(HttpRequest request, HttpResponse.BodyHandler<T> handler)
            throws IOException {
        try {
            return CLIENT.send(request, handler);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
