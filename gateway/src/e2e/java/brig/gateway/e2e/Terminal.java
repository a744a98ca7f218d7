package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** A captain or watcher at the terminal of a session. */
record Terminal(Wire wire, StringBuilder shown) implements AutoCloseable {
    /** After the welcome. */
    static Terminal at(Wire wire) throws IOException {
        assertEquals("authenticated", wire.message().text("type"));
        return new Terminal(wire, new StringBuilder());
    }

    Terminal type(String keys) throws IOException {
        wire.sendLine(new String(Json.write(Map.of("type", "keys", "data", keys)), StandardCharsets.UTF_8));
        return this;
    }

    Terminal resize(int cols, int rows) throws IOException {
        wire.sendLine("{\"type\":\"resize\",\"cols\":" + cols + ",\"rows\":" + rows + "}");
        return this;
    }

    /** Reads until the terminal has shown the text since the last such call. */
    Terminal awaitText(String text) throws IOException {
        while (shown.indexOf(text) < 0) {
            JsonObject line = wire.message();
            assertEquals(false, line.text("type", "").equals("error"), line::toString);
            if (line.text("stream", "").equals("tty")) {
                shown.append(line.text("content", ""));
            }
        }
        shown.delete(0, shown.indexOf(text) + text.length());
        return this;
    }

    /** Reads until a line of that type. */
    JsonObject await(String type) throws IOException {
        JsonObject line = wire.message();
        while (!line.text("type", "").equals(type)) {
            line = wire.message();
        }
        return line;
    }

    @Override
    public void close() throws IOException {
        wire.close();
    }
}
