package brig.mcp;

import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The tools as their clients' models read them, from {@code tools.json}. */
final class ToolList {
    static final JsonObject TOOLS = read();

    private ToolList() {}

    private static JsonObject read() {
        try (InputStream file = ToolList.class.getResourceAsStream("tools.json")) {
            if (file == null) {
                throw new IllegalStateException("tools.json is missing");
            }
            return JsonObject.read(file.readAllBytes());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
