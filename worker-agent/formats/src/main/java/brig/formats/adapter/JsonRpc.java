package brig.formats.adapter;

import brig.protocol.json.Json;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Our side of JSON-RPC 2.0 over lines. Any thread may ask; answers are taken by the thread that reads.
 *
 * <p>Decision 0079.
 */
public final class JsonRpc {
    /** What becomes of an answer. */
    public interface Answer {
        /** @param error null where it succeeded */
        void handle(NativeObject result, @Nullable NativeObject error) throws InterruptedException;
    }

    /** There is no such method, or no wish to serve it. */
    public static final int METHOD_NOT_FOUND = -32601;

    private final Predicate<byte[]> input;
    private final boolean namesVersion;
    private final AtomicLong lastId = new AtomicLong();
    private final Map<Long, Answer> waiting = new ConcurrentHashMap<>();

    /** @param namesVersion whether every message says {@code "jsonrpc":"2.0"} */
    public JsonRpc(Predicate<byte[]> input, boolean namesVersion) {
        this.input = input;
        this.namesVersion = namesVersion;
    }

    /** False where it could not be written; no answer comes then. */
    public boolean request(String method, Map<String, ?> params, Answer answer) {
        long id = lastId.incrementAndGet();
        waiting.put(id, answer);
        Map<String, Object> message = message();
        message.put("id", id);
        message.put("method", method);
        message.put("params", params);
        boolean written = write(message);
        if (!written) {
            waiting.remove(id);
        }
        return written;
    }

    public boolean notify(String method, Map<String, ?> params) {
        Map<String, Object> message = message();
        message.put("method", method);
        if (!params.isEmpty()) {
            message.put("params", params);
        }
        return write(message);
    }

    /** Answers the other side's request. */
    public void respond(NativeObject request, Map<String, ?> result) {
        answer(request, "result", result);
    }

    /** Refuses the other side's request. */
    public void refuse(NativeObject request, String why) {
        answer(request, "error", Map.of("code", METHOD_NOT_FOUND, "message", why));
    }

    private void answer(NativeObject request, String name, Map<String, ?> value) {
        Map<String, Object> message = message();
        Object id = request.value("id");
        if (id != null) {
            message.put("id", id);
            message.put(name, value);
            write(message);
        }
    }

    /** Hands an answer to whoever waits for it; false where nobody does. */
    public boolean handleAnswer(NativeObject message) throws InterruptedException {
        Answer answer = waiting.remove(message.number("id", 0));
        if (answer == null) {
            return false;
        }
        answer.handle(message.object("result"), message.has("error") ? message.object("error") : null);
        return true;
    }

    private Map<String, Object> message() {
        Map<String, Object> message = new LinkedHashMap<>();
        if (namesVersion) {
            message.put("jsonrpc", "2.0");
        }
        return message;
    }

    private boolean write(Map<String, Object> message) {
        return input.test(Json.writeLine(message));
    }
}
