package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;

/**
 * How many workers may be started in a second: as many at once, and no more in the long run. It keeps the host usable
 * when several gateways, each within its own limits, start workers together. Whoever has it guards it.
 *
 * <p>Decisions 0106, 0131.
 */
final class StartRate {
    private static final long COST = 1000;

    private final int perSecondMax;
    /** Thousandths of a start that may still be taken, at most a second's worth. */
    private long left;

    private long countedMs;

    /** @param perSecondMax 0 for no bound */
    StartRate(int perSecondMax, long nowMs) {
        this.perSecondMax = perSecondMax;
        this.left = perSecondMax * COST;
        this.countedMs = nowMs;
    }

    /** Whether one could be started now. @throws BrigException {@code PROVIDER_RATE_LIMITED} */
    void check(long nowMs) {
        long full = perSecondMax * COST;
        // In one millisecond as many thousandths come back as starts are allowed in a second.
        left = Math.min(full, left + Math.clamp(nowMs - countedMs, 0, COST) * perSecondMax);
        countedMs = nowMs;
        if (perSecondMax > 0 && left < COST) {
            throw new BrigException(
                    ErrorCode.PROVIDER_RATE_LIMITED, "worker.startsPerSecondMax (" + perSecondMax + ") is reached", 1);
        }
    }

    /** One is started now. @throws BrigException {@code PROVIDER_RATE_LIMITED}; nothing was counted then */
    void take(long nowMs) {
        check(nowMs);
        left -= COST;
    }
}
