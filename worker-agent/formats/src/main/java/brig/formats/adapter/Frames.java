package brig.formats.adapter;

import brig.protocol.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;

/** Bodies of the frames that Brig writes itself; those of chunks come from {@code ChunkEncoder}. */
public final class Frames {
    private Frames() {}

    /** The body of a frame with these fields, as {@link FrameSink#append} takes it. */
    public static byte[] body(long nowMs, Map<String, ?> fields) {
        Map<String, Object> all = new LinkedHashMap<>();
        all.put("ts", nowMs);
        all.putAll(fields);
        byte[] line = Json.writeLine(all);
        line[0] = ',';
        return line;
    }
}
