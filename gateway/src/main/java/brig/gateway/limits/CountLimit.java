package brig.gateway.limits;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.HashMap;
import java.util.Map;

/**
 * A maximum number of concurrent things per key, or in total with a single key. A refused request has no side effects.
 * Owned by the event loop.
 *
 * <p>Decision 0031.
 */
public final class CountLimit {
    private final int max;
    private final ErrorCode code;
    private final String what;
    private final Map<String, Integer> taken = new HashMap<>();

    /** @param what the key in {@code config/brig.json}, for the text of a refusal */
    public CountLimit(int max, ErrorCode code, String what) {
        this.max = max;
        this.code = code;
        this.what = what;
    }

    /** Only checks. @throws BrigException with the limit's code and that hint if no slot is free */
    void check(String key, int retryAfterSeconds) {
        if (count(key) >= max) {
            throw new BrigException(code, "limits." + what + " (" + max + ") is reached", retryAfterSeconds);
        }
    }

    /** Counts an existing thing, even beyond the limit: it was admitted under an earlier one. */
    public Lease hold(String key) {
        taken.merge(key, 1, Integer::sum);
        return new Lease(() -> taken.computeIfPresent(key, (k, n) -> n == 1 ? null : n - 1));
    }

    public int count(String key) {
        return taken.getOrDefault(key, 0);
    }
}
