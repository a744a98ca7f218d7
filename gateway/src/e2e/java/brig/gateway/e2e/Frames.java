package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;

/**
 * What one reader got of a stream, in order. Every frame is checked as it comes: its number follows the last
 * one, unless a gap said otherwise.
 */
final class Frames {
    private final List<String> lines = new ArrayList<>();
    private final List<JsonObject> messages = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    private long next;
    private long missing;
    private JsonObject last;

    Frames(long from) {
        next = from;
    }

    Frames() {
        this(1);
    }

    /** Reads until a frame that fits, which is the last one read. */
    Frames readUntil(Source source, Predicate<JsonObject> wanted) throws IOException {
        do {
            String line = source.line();
            if (line == null) {
                throw new AssertionError("the stream was cut behind " + (next - 1) + ": " + messages);
            }
            add(line);
        } while (!wanted.test(last));
        return this;
    }

    Frames readUntilType(Source source, String type) throws IOException {
        return readUntil(source, frame -> isType(frame, type));
    }

    /** Reads to the last frame of the stream. */
    Frames readAll(Source source) throws IOException {
        return readUntil(source, Frames::isTerminated);
    }

    void add(String line) {
        last = JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
        long seq = last.number("seq", 0);
        if (seq == 0) {
            messages.add(last);
            if (isType(last, "gap")) {
                assertEquals(next, last.number("from", 0));
                long to = last.number("to", 0);
                missing += to + 1 - next;
                next = to + 1;
            }
            return;
        }
        assertEquals(next, last.number("from", seq), () -> "a frame was lost or doubled: " + last);
        next = seq + 1;
        lines.add(line);
        if (isType(last, "chunk") && last.text("stream", "").equals("stdout")) {
            text.append(last.text("content", ""));
        }
    }

    static boolean isType(JsonObject frame, String type) {
        return frame.text("type", "").equals(type);
    }

    static boolean isTerminated(JsonObject frame) {
        return isType(frame, "state") && frame.text("state", "").equals("terminated");
    }

    /** The numbered frames as they were on the wire. */
    List<String> lines() {
        return lines;
    }

    /** What came without a number. */
    List<JsonObject> messages() {
        return messages;
    }

    /** What the agent wrote to its standard output. */
    String text() {
        return text.toString();
    }

    long next() {
        return next;
    }

    /** How many frames were named as missing. */
    long missing() {
        return missing;
    }

    JsonObject last() {
        return last;
    }

    List<JsonObject> ofType(String type) {
        return lines.stream()
                .map(line -> JsonObject.read(line.getBytes(StandardCharsets.UTF_8)))
                .filter(frame -> isType(frame, type))
                .toList();
    }
}
