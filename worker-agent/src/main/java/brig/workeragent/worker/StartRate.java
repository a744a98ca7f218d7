package brig.workeragent.worker;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;

/**
 * A token bucket for worker starts per second, with a burst of one second's worth. It keeps the host usable when
 * several gateways, each within its own limits, start workers together. Not thread-safe: its owner guards it.
 *
 * <p>Decisions 0106, 0131.
 */
final class StartRate {
    private static final long COST = 1000;

    private final int perSecondMax;
    /** Thousandths of a start that are available, at most one second's worth. */
    private long left;

    private long countedMs;

    /** @param perSecondMax 0 for no limit */
    StartRate(int perSecondMax, long nowMs) {
        this.perSecondMax = perSecondMax;
        this.left = perSecondMax * COST;
        this.countedMs = nowMs;
    }

    /** Whether a start is possible now. @throws BrigException {@code PROVIDER_RATE_LIMITED} */
    void check(long nowMs) {
        long full = perSecondMax * COST;
        // Each millisecond adds as many thousandths as there are starts per second.
        left = Math.min(full, left + Math.clamp(nowMs - countedMs, 0, COST) * perSecondMax);
        countedMs = nowMs;
        if (perSecondMax > 0 && left < COST) {
            throw new BrigException(
                    ErrorCode.PROVIDER_RATE_LIMITED, "worker.startsPerSecondMax (" + perSecondMax + ") is reached", 1);
        }
    }

    /** Counts a start. @throws BrigException {@code PROVIDER_RATE_LIMITED}; nothing is counted then */
    void take(long nowMs) {
        check(nowMs);
        left -= COST;
    }
}
