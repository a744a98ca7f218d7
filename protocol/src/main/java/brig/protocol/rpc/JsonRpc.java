package brig.protocol.rpc;

import brig.protocol.json.Json;
import brig.protocol.record.WriteNull;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * One side of a JSON-RPC 2.0 connection over lines. It writes messages and tracks the requests that wait for an answer.
 * Thread-safe.
 *
 * <p>Decision 0079.
 *
 * @param <W> the waiter for an answer
 */
public final class JsonRpc<W> {
    private static final String VERSION = "2.0";

    private record Request(@Nullable String jsonrpc, long id, String method, Object params) {}

    private record Notification(
            @Nullable String jsonrpc,
            String method,
            @Nullable Object params) {}

    private record Result(
            @Nullable String jsonrpc, @WriteNull @Nullable Object id, Object result) {}

    private record Failure(
            @Nullable String jsonrpc, @WriteNull @Nullable Object id, RpcError error) {}

    private final Predicate<byte[]> output;
    private final @Nullable String version;
    private final AtomicLong lastId = new AtomicLong();
    private final Map<Long, W> waiting = new ConcurrentHashMap<>();

    /**
     * @param output writes a line that includes its newline; false if it cannot. Called from any thread
     * @param namesVersion whether every message contains {@code "jsonrpc":"2.0"}
     */
    public JsonRpc(Predicate<byte[]> output, boolean namesVersion) {
        this.output = output;
        this.version = namesVersion ? VERSION : null;
    }

    /**
     * Sends a request.
     *
     * @param params a record or a {@code JsonObject}
     * @return the id of the request; 0 if it could not be written, so that no answer comes
     */
    public long request(String method, Object params, W whoWaits) {
        long id = lastId.incrementAndGet();
        waiting.put(id, whoWaits);
        if (write(new Request(version, id, method, params))) {
            return id;
        }
        waiting.remove(id);
        return 0;
    }

    /** Sends a notification; null for one without params. False if it could not be written. */
    public boolean notify(String method, @Nullable Object params) {
        return write(new Notification(version, method, params));
    }

    /** Answers a request. */
    public boolean answer(@Nullable Object id, Object result) {
        return write(new Result(version, id, result));
    }

    /** Refuses a request; null for one whose id could not be read. */
    public boolean fail(@Nullable Object id, RpcError error) {
        return write(new Failure(version, id, error));
    }

    /** Removes and returns the waiter for the answer with that id; null for none. */
    public @Nullable W answered(@Nullable Object id) {
        return id instanceof Number number ? waiting.remove(number.longValue()) : null;
    }

    private boolean write(Record message) {
        return output.test(Json.writeLine(message));
    }
}
