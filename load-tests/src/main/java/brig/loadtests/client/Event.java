package brig.loadtests.client;

import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;

/** What a reader of a stream meets, the same for all ways in. */
public sealed interface Event {
    /** A numbered frame. */
    public record Frame(long seq, String type, Fields fields) implements Event {
        boolean isTerminated() {
            return type.equals("state") && fields.text("state", "").equals("terminated");
        }
    }

    /** {@code authenticated}, or the head of a response with events: where the reader begins. */
    public record Welcome(String epoch, long from, Fields fields) implements Event {}

    /** {@code gap}. */
    public record Gap(long from, long to, String reason, Fields fields) implements Event {}

    /** Another message about the connection: {@code error}, {@code pong}. */
    public record Note(String type, String code, Fields fields) implements Event {}

    /** A comment among server-sent events. */
    public record Comment() implements Event {}

    /** The request for the stream was answered by that. */
    public record Refused(int status, String code) implements Event {}

    /**
     * The connection is over.
     *
     * @param orderly not cut off somewhere
     * @param code of a WebSocket's close, else 0
     */
    public record End(boolean orderly, int code, String reason) implements Event {
        static final End CUT = new End(false, 0, "");
    }

    /** Reads a line of section 2. */
    public static Event of(byte[] line) {
        try {
            return of(line, new Fields(Json.parseObject(line)));
        } catch (BrigException bad) {
            String text = new String(line, StandardCharsets.UTF_8);
            throw new Violation("a line is not what sections 1 and 2 say (" + bad.getMessage() + "): "
                    + text.substring(0, Math.min(text.length(), 120)));
        }
    }

    private static Event of(byte[] line, Fields fields) {
        String type = fields.requiredText("type");
        if (fields.has("seq")) {
            Violation.require(line.length < Limits.FRAME_BYTES_MAX, "a frame has " + (line.length + 1) + " bytes");
            Violation.require(fields.has("ts"), "a frame has no ts");
            return new Frame(number(fields, "seq"), type, fields);
        }
        return switch (type) {
            case "authenticated" -> new Welcome(fields.requiredText("epoch"), number(fields, "from"), fields);
            case "gap" -> new Gap(number(fields, "from"), number(fields, "to"), fields.text("reason", ""), fields);
            default -> new Note(type, fields.text("code", ""), fields);
        };
    }

    private static long number(Fields fields, String name) {
        long number = fields.number(name, 1, Limits.SEQ_MAX, 0);
        Violation.require(number > 0, "'" + name + "' is missing in " + fields.asMap());
        return number;
    }
}
