package brig.formats.adapter;

import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
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
        void handle(JsonObject result, @Nullable JsonObject error) throws InterruptedException;
    }

    /** There is no such method, or no wish to serve it. */
    public static final int METHOD_NOT_FOUND = -32601;

    private static final String VERSION = "2.0";

    private record Request(@Nullable String jsonrpc, long id, String method, Record params) {}

    private record Notification(
            @Nullable String jsonrpc,
            String method,
            @Nullable Record params) {}

    private record Result(@Nullable String jsonrpc, Object id, Record result) {}

    private record Refusal(@Nullable String jsonrpc, Object id, Failure error) {}

    private record Failure(int code, String message) {}

    private final Predicate<byte[]> input;
    private final @Nullable String version;
    private final AtomicLong lastId = new AtomicLong();
    private final Map<Long, Answer> waiting = new ConcurrentHashMap<>();

    /** @param namesVersion whether every message says {@code "jsonrpc":"2.0"} */
    public JsonRpc(Predicate<byte[]> input, boolean namesVersion) {
        this.input = input;
        this.version = namesVersion ? VERSION : null;
    }

    /** False where it could not be written; no answer comes then. */
    public boolean request(String method, Record params, Answer answer) {
        long id = lastId.incrementAndGet();
        waiting.put(id, answer);
        boolean written = write(new Request(version, id, method, params));
        if (!written) {
            waiting.remove(id);
        }
        return written;
    }

    /** @param params null for none */
    public boolean notify(String method, @Nullable Record params) {
        return write(new Notification(version, method, params));
    }

    /** Answers the other side's request. */
    public void respond(JsonObject request, Record result) {
        Object id = request.value("id");
        if (id != null) {
            write(new Result(version, id, result));
        }
    }

    /** Refuses the other side's request. */
    public void refuse(JsonObject request, String why) {
        Object id = request.value("id");
        if (id != null) {
            write(new Refusal(version, id, new Failure(METHOD_NOT_FOUND, why)));
        }
    }

    /** Hands an answer to whoever waits for it; false where nobody does. */
    public boolean handleAnswer(JsonObject message) throws InterruptedException {
        Answer answer = waiting.remove(message.number("id", 0));
        if (answer == null) {
            return false;
        }
        answer.handle(message.object("result"), message.has("error") ? message.object("error") : null);
        return true;
    }

    private boolean write(Record message) {
        return input.test(Json.writeLine(message));
    }
}
