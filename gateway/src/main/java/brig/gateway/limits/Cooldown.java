package brig.gateway.limits;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Map;

/** The least time between two spawns of the same captain. Owned by the event loop. */
public final class Cooldown {
    private final long leastMs;
    /** When each captain last spawned, oldest first; expired entries are removed from the front. */
    private final Map<String, Long> lastMs = new LinkedHashMap<>();

    public Cooldown(long leastMs) {
        this.leastMs = leastMs;
    }

    /** @throws BrigException {@code COOLDOWN} with the time to wait */
    public void check(String captain, long nowMs) {
        long waitMs = leftMs(captain, nowMs);
        if (waitMs > 0) {
            throw new BrigException(
                    ErrorCode.COOLDOWN, "limits.spawnCooldownMs (" + leastMs + ") has not passed yet", (int)
                            ((waitMs + 999) / 1000));
        }
    }

    /** The remaining cooldown of that captain; 0 for none. */
    long leftMs(String captain, long nowMs) {
        lastMs.values().removeIf(last -> last + leastMs <= nowMs);
        Long last = lastMs.get(captain);
        return last == null ? 0 : last + leastMs - nowMs;
    }

    /** Starts the captain's cooldown. */
    public void note(String captain, long nowMs) {
        if (leastMs > 0) {
            lastMs.remove(captain);
            lastMs.put(captain, nowMs);
        }
    }
}
