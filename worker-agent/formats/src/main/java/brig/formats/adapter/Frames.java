package brig.formats.adapter;

import brig.protocol.frame.Frame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Flat;

/** Encodes the bodies of frames that Brig writes itself; {@code ChunkEncoder} encodes those of chunks. */
public final class Frames {
    /** A frame without its sequence number. */
    private record Body(long ts, @Flat(tagged = false) Frame frame) {}

    private Frames() {}

    /** The body of a frame, for {@link FrameSink#append}. */
    public static byte[] body(long nowMs, Frame frame) {
        return body(new Body(nowMs, frame));
    }

    static byte[] body(Record fields) {
        return behindNumber(Json.writeLine(fields));
    }

    /** The same for fields that no longer match a frame's record. */
    static byte[] body(JsonObject fields) {
        return behindNumber(Json.writeLine(fields));
    }

    /** The same as JSON fields. */
    static JsonObject fields(long nowMs, Frame frame) {
        return JsonObject.of(new Body(nowMs, frame));
    }

    private static byte[] behindNumber(byte[] line) {
        line[0] = ',';
        return line;
    }
}
