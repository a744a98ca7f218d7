package brig.gateway.provider.http;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request to a provider.
 *
 * @param at the server; its path stands before the other
 * @param path and query, encoded
 * @param withKey whether the key goes along
 * @param repeatable whether it may be tried again
 * @param also statuses that count as answers beside the good ones
 * @param deadlineMs for one attempt, with its answer; 0 for none after the head of the answer
 * @param output takes the body of a good answer piece by piece, on the event loop; null: it is kept
 */
public record ApiCall(
        Location at,
        String method,
        String path,
        Map<String, String> headers,
        @Nullable Body body,
        boolean withKey,
        boolean repeatable,
        Set<Integer> also,
        long deadlineMs,
        @Nullable Consumer<byte[]> output) {
    private static final long DEADLINE_MS = 20_000;

    public ApiCall {
        headers = Map.copyOf(headers);
        also = Set.copyOf(also);
    }

    /** Without a body, with the key, once. */
    public static ApiCall of(Location at, String method, String path) {
        return new ApiCall(at, method, path, Map.of(), null, true, false, Set.of(), DEADLINE_MS, null);
    }

    public ApiCall body(Body sent) {
        return new ApiCall(at, method, path, headers, sent, withKey, repeatable, also, deadlineMs, output);
    }

    public ApiCall headers(Map<String, String> more) {
        Map<String, String> all = new LinkedHashMap<>(headers);
        all.putAll(more);
        return new ApiCall(at, method, path, all, body, withKey, repeatable, also, deadlineMs, output);
    }

    public ApiCall withoutKey() {
        return new ApiCall(at, method, path, headers, body, false, repeatable, also, deadlineMs, output);
    }

    /** It may be tried again: what it does twice is what it does once. */
    public ApiCall again() {
        return new ApiCall(at, method, path, headers, body, withKey, true, also, deadlineMs, output);
    }

    /** These statuses are no failures. */
    public ApiCall or(Integer... statuses) {
        return new ApiCall(at, method, path, headers, body, withKey, repeatable, Set.of(statuses), deadlineMs, output);
    }

    public ApiCall within(long ms) {
        return new ApiCall(at, method, path, headers, body, withKey, repeatable, also, ms, output);
    }

    public ApiCall output(Consumer<byte[]> taker) {
        return new ApiCall(at, method, path, headers, body, withKey, repeatable, also, deadlineMs, taker);
    }

    /** Headers may be secrets. */
    @Override
    public String toString() {
        return method + " " + at.authority() + at.path() + path;
    }
}
