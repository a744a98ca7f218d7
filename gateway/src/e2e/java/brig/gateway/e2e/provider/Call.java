package brig.gateway.e2e.provider;

import brig.protocol.json.JsonObject;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpServerRequest;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** A request as a provider looks at it. @param path its decoded parts */
record Call(HttpServerRequest request, List<String> path) {
    /** @param body of any kind; an object is written as JSON */
    record Answer(int status, Object body, Map<String, String> headers) {
        static Answer of(int status, Object body) {
            return new Answer(status, body, Map.of());
        }
    }

    static Call of(HttpServerRequest request) {
        // A plus is itself in a path.
        return new Call(
                request,
                Arrays.stream(request.path().substring(1).split("/", -1))
                        .map(part -> URLDecoder.decode(part.replace("+", "%2B"), StandardCharsets.UTF_8))
                        .toList());
    }

    boolean isWebSocket() {
        return "websocket".equalsIgnoreCase(request.getHeader("Upgrade"));
    }

    String method() {
        return request.method().name();
    }

    /** The part of its path; empty if there is none. */
    String part(int index) {
        return index < path.size() ? path.get(index) : "";
    }

    String query(String name, String absent) {
        return request.params().contains(name) ? request.params().get(name) : absent;
    }

    /** @throws IllegalArgumentException if it is none */
    int number(String name, int absent, int max) {
        int number = Integer.parseInt(query(name, "" + absent));
        if (number < 1 || number > max) {
            throw new IllegalArgumentException(name + " is out of range");
        }
        return number;
    }

    static JsonObject json(Buffer body) {
        return body.length() == 0 ? JsonObject.EMPTY : JsonObject.read(body.getBytes());
    }
}
