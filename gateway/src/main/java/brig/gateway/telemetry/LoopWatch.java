package brig.gateway.telemetry;

import brig.gateway.time.Timers;
import java.util.concurrent.TimeUnit;

/**
 * Measures the latency of the event loop. A timer fires every {@link #PERIOD_MS}; its delay is how long another task
 * blocked the loop. A task longer than the period is always noticed, and underestimated by at most the period; a
 * shorter one is noticed by chance. Measuring every task would need two clock readings each. Owned by the event loop.
 */
public final class LoopWatch {
    static final long PERIOD_MS = 100;
    /** Ticks over which the maximum is kept: one to two minutes, more than a scrape interval. */
    private static final int TICKS_MAX = 600;

    private final Counters counters;
    private final Timers timers;
    private int ticks;
    private double longest;
    private double longestBefore;

    public LoopWatch(Counters counters, Timers timers) {
        this.counters = counters;
        this.timers = timers;
    }

    /** Starts the measurement. */
    public void start() {
        long dueNanos = counters.nanoTime() + TimeUnit.MILLISECONDS.toNanos(PERIOD_MS);
        timers.after(PERIOD_MS, () -> handleTick(dueNanos));
    }

    private void handleTick(long dueNanos) {
        double late = Math.max(0, counters.secondsSince(dueNanos));
        counters.handleLag(late);
        longest = Math.max(longest, late);
        if (++ticks == TICKS_MAX) {
            ticks = 0;
            longestBefore = longest;
            longest = 0;
        }
        start();
    }

    /** The longest delay of the last one to two minutes. */
    double longestSeconds() {
        return Math.max(longest, longestBefore);
    }
}
