package brig.mcp;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.RpcError;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Writes answers and notifications, one line each. An unknown id is left out, which MCP prefers to null. Thread-safe. */
final class McpOutput {
    private static final String VERSION = "2.0";

    private record Answer(String jsonrpc, @Nullable Object id, JsonObject result) {}

    private record Failure(String jsonrpc, @Nullable Object id, RpcError error) {}

    private record Notification(String jsonrpc, String method, JsonObject params) {}

    private final OutputStream out;
    private final Consumer<String> log;

    /** Guarded by this. */
    private boolean broken;

    McpOutput(OutputStream out, Consumer<String> log) {
        this.out = out;
        this.log = log;
    }

    void answer(@Nullable Object id, JsonObject result) {
        write(Json.writeLine(new Answer(VERSION, id, result)));
    }

    void fail(@Nullable Object id, RpcError error) {
        write(Json.writeLine(new Failure(VERSION, id, error)));
    }

    void notify(String method, JsonObject params) {
        write(Json.writeLine(new Notification(VERSION, method, params)));
    }

    private synchronized void write(byte[] line) {
        if (broken) {
            return;
        }
        try {
            out.write(line);
            out.flush();
        } catch (IOException e) {
            broken = true;
            log.accept("the client does not read any more: " + e.getMessage());
        }
    }
}
