package brig.loadtests.client;

import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** An event of a stream's reader, the same for all transports. */
public sealed interface Event {
    /**
     * A numbered frame.
     *
     * @param line the typed frame
     * @param fields everything that was sent
     */
    public record Frame(NumberedFrame line, JsonObject fields) implements Event {
        public long seq() {
            return line.seq();
        }

        /** The first frame whose content this is: itself, unless it is a merged chunk. */
        public long firstSeq() {
            return line.firstSeq();
        }

        /** The content; null if this version does not know its type. */
        public brig.protocol.frame.@Nullable Frame says() {
            return line.frame();
        }
    }

    /** {@code authenticated}, or the head of a response with events: where the reader begins. */
    public record Welcome(String epoch, long from, JsonObject fields) implements Event {}

    /** {@code gap}. */
    public record Gap(long from, long to, String reason, JsonObject fields) implements Event {}

    /** Another message about the connection: {@code error}, {@code pong}. */
    public record Note(String type, String code, JsonObject fields) implements Event {
        public boolean isPong() {
            return type.equals("pong");
        }
    }

    /** A comment among server-sent events. */
    public record Comment() implements Event {}

    /** The request for the stream was refused. */
    public record Refused(int status, String code) implements Event {}

    /**
     * The connection ended.
     *
     * @param orderly whether it was closed, not cut
     * @param code the close code of a WebSocket, else 0
     */
    public record End(boolean orderly, int code, String reason) implements Event {
        static final End CUT = new End(false, 0, "");
    }

    /** Parses a line of section 2. */
    public static Event of(byte[] line) {
        try {
            return of(line, JsonObject.read(line));
        } catch (BrigException bad) {
            String text = new String(line, StandardCharsets.UTF_8);
            throw new Violation("a line is not what sections 1 and 2 say (" + bad.getMessage() + "): "
                    + text.substring(0, Math.min(text.length(), 120)));
        }
    }

    private static Event of(byte[] line, JsonObject fields) {
        String type = fields.text("type", "");
        Violation.require(!type.isEmpty(), "'type' is missing in " + fields);
        if (fields.has("seq")) {
            Violation.require(line.length < Limits.FRAME_BYTES_MAX, "a frame has " + (line.length + 1) + " bytes");
            Violation.require(fields.has("ts"), "a frame has no ts");
            return new Frame(fields.as(NumberedFrame.class), fields);
        }
        return switch (type) {
            case "authenticated" -> new Welcome(fields.text("epoch", ""), position(fields, "from"), fields);
            case "gap" -> new Gap(position(fields, "from"), position(fields, "to"), fields.text("reason", ""), fields);
            default -> new Note(type, fields.text("code", ""), fields);
        };
    }

    private static long position(JsonObject fields, String name) {
        boolean isPosition = fields.value(name) instanceof Long number && number > 0 && number <= Limits.SEQ_MAX;
        Violation.require(isPosition, "'" + name + "' is no position in " + fields);
        return fields.number(name, 0);
    }
}
