package brig.acp;

import brig.protocol.json.Fields;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The editor's end of the wire: answers, notifications and questions to it, a line each. Any thread may call. */
final class EditorRpc {
    private final OutputStream out;
    private final Consumer<String> log;
    private final AtomicLong lastId = new AtomicLong();
    private final Map<Long, Consumer<Fields>> asked = new ConcurrentHashMap<>();

    /** Guarded by this. */
    private boolean broken;

    EditorRpc(OutputStream out, Consumer<String> log) {
        this.out = out;
        this.log = log;
    }

    void answer(@Nullable Object id, Map<String, ?> result) {
        Map<String, @Nullable Object> message = message();
        message.put("id", id);
        message.put("result", result);
        write(message);
    }

    void fail(@Nullable Object id, RpcException failure) {
        Map<String, @Nullable Object> message = message();
        message.put("id", id);
        message.put("error", failure.error());
        write(message);
    }

    void notify(String method, Map<String, ?> params) {
        Map<String, @Nullable Object> message = message();
        message.put("method", method);
        message.put("params", params);
        write(message);
    }

    /**
     * Asks the editor.
     *
     * @param answered gets the result, empty where the editor answers with an error; not called after {@link #withdraw}
     * @return the id of the request
     */
    long request(String method, Map<String, ?> params, Consumer<Fields> answered) {
        long id = lastId.incrementAndGet();
        asked.put(id, answered);
        Map<String, @Nullable Object> message = message();
        message.put("id", id);
        message.put("method", method);
        message.put("params", params);
        write(message);
        return id;
    }

    /** Nobody needs the answer any more; nothing happens where it is there already. */
    void withdraw(long id) {
        if (asked.remove(id) != null) {
            notify("$/cancel_request", Map.of("requestId", id));
        }
    }

    /** An answer of the editor; one that nobody waits for is passed over. */
    void handleAnswer(Fields message) {
        Consumer<Fields> waiting = message.asMap().get("id") instanceof Long id ? asked.remove(id) : null;
        if (waiting != null) {
            waiting.accept(
                    message.asMap().get("result") instanceof Map ? message.object("result") : new Fields(Map.of()));
        }
    }

    private static Map<String, @Nullable Object> message() {
        Map<String, @Nullable Object> message = new LinkedHashMap<>();
        message.put("jsonrpc", "2.0");
        return message;
    }

    private synchronized void write(Map<String, ?> message) {
        if (broken) {
            return;
        }
        try {
            out.write(Json.writeLine(message));
            out.flush();
        } catch (IOException e) {
            broken = true;
            log.accept("the editor does not read any more: " + e.getMessage());
        }
    }
}
