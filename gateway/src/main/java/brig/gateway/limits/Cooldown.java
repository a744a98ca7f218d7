package brig.gateway.limits;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.LinkedHashMap;
import java.util.Map;

/** A least time between two acts of the same captain. Owned by the event loop. */
public final class Cooldown {
    private final long leastMs;
    /** When each captain acted last, oldest first; entries that no longer matter are dropped from the front. */
    private final Map<String, Long> lastMs = new LinkedHashMap<>();

    public Cooldown(long leastMs) {
        this.leastMs = leastMs;
    }

    /** @throws BrigException {@code COOLDOWN} with the time to wait where the captain acted too recently */
    public void check(String captain, long nowMs) {
        long waitMs = leftMs(captain, nowMs);
        if (waitMs > 0) {
            throw new BrigException(
                    ErrorCode.COOLDOWN, "limits.spawnCooldownMs (" + leastMs + ") has not passed yet", (int)
                            ((waitMs + 999) / 1000));
        }
    }

    /** How long that captain has to wait still; 0 for not at all. */
    long leftMs(String captain, long nowMs) {
        lastMs.values().removeIf(last -> last + leastMs <= nowMs);
        Long last = lastMs.get(captain);
        return last == null ? 0 : last + leastMs - nowMs;
    }

    /** Notes that the captain acted. */
    public void note(String captain, long nowMs) {
        if (leastMs > 0) {
            lastMs.remove(captain);
            lastMs.put(captain, nowMs);
        }
    }
}
