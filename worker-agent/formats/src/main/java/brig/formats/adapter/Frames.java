package brig.formats.adapter;

import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;

/** Bodies of the frames that Brig writes itself; those of chunks come from {@code ChunkEncoder}. */
public final class Frames {
    /** All of a frame behind its number. */
    private record Body(long ts, @Flat(tagged = false) Frame frame) {}

    private Frames() {}

    /** The body of a frame, as {@link FrameSink#append} takes it. */
    public static byte[] body(long nowMs, Frame frame) {
        return body(new Body(nowMs, frame));
    }

    static byte[] body(Record fields) {
        return behindNumber(Json.writeLine(fields));
    }

    /** The same of fields that are not those of one of our frames any more. */
    static byte[] body(JsonObject fields) {
        return behindNumber(Json.writeLine(fields));
    }

    /** What {@link #body(long, Frame)} writes, as fields. */
    static JsonObject fields(long nowMs, Frame frame) {
        return JsonObject.of(new Body(nowMs, frame));
    }

    private static byte[] behindNumber(byte[] line) {
        line[0] = ',';
        return line;
    }
}
