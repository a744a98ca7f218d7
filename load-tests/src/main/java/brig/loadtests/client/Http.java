package brig.loadtests.client;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A minimal HTTP/1.1 client on a {@link Wire}. */
public final class Http {
    private Http() {}

    /** Status and headers, with names in lower case. */
    public record Head(int status, Map<String, String> headers) {
        public String header(String name) {
            return headers.getOrDefault(name, "");
        }
    }

    /** A whole answer. */
    public record Answer(Head head, JsonObject body) {
        public int status() {
            return head.status();
        }

        public String code() {
            return body.text("code", "");
        }
    }

    public static void send(Wire wire, String requestLine, Map<String, String> headers, String body)
            throws IOException {
        StringBuilder text = new StringBuilder(requestLine).append(" HTTP/1.1\r\n");
        headers.forEach(
                (name, value) -> text.append(name).append(": ").append(value).append("\r\n"));
        if (!body.isEmpty()) {
            text.append("Content-Type: application/json\r\nContent-Length: ")
                    .append(body.getBytes(StandardCharsets.UTF_8).length)
                    .append("\r\n");
        }
        wire.send(text.append("\r\n").append(body).toString().getBytes(StandardCharsets.UTF_8));
    }

    public static Head head(Wire wire) throws IOException {
        String[] status = line(wire).split(" ", 3);
        Violation.require(status.length > 1 && status[1].matches("\\d{3}"), "no HTTP status came");
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(wire); !line.isEmpty(); line = line(wire)) {
            int colon = Math.max(line.indexOf(':'), 0);
            headers.put(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).trim());
        }
        return new Head(Integer.parseInt(status[1]), headers);
    }

    private static String line(Wire wire) throws IOException {
        byte @Nullable [] line = wire.line();
        if (line == null) {
            throw new Violation("the connection ended within the head of an answer");
        }
        return new String(line, StandardCharsets.UTF_8).stripTrailing();
    }

    /** Reads the rest of an answer whose body is one JSON object, or empty. */
    public static Answer answer(Wire wire, Head head) throws IOException {
        String length = head.header("content-length");
        byte @Nullable [] body = length.isEmpty() ? new byte[0] : wire.bytes(Long.parseLong(length));
        boolean json = body != null && head.header("content-type").contains("json");
        return new Answer(head, json && body != null ? JsonObject.read(body) : JsonObject.EMPTY);
    }
}
