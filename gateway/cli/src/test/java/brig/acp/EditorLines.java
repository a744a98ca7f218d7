package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.util.List;

/** What the editor is told, a line each. */
final class EditorLines extends ByteArrayOutputStream {
    List<JsonObject> lines() {
        return toString(UTF_8)
                .lines()
                .map(line -> JsonObject.read(line.getBytes(UTF_8)))
                .toList();
    }

    /** The methods of JSON-RPC that were called on the editor. */
    List<String> methods() {
        return lines().stream().map(line -> line.text("method", "answer")).toList();
    }
}
