package brig.gateway.telemetry;

import brig.gateway.time.Timers;
import java.util.concurrent.TimeUnit;

/**
 * How late the event loop is: a timer fires every {@link #PERIOD_MS}, and what it comes late is how long another task kept
 * it waiting. So a task that takes longer than the period is never missed, and is seen with at most that much less than it
 * took; a shorter one is seen by chance. Measuring every task would cost two looks at the clock for each. Owned by the event
 * loop.
 */
public final class LoopWatch {
    static final long PERIOD_MS = 100;
    /** Ticks for which the longest is remembered: one to two minutes, more than a scraper's pause. */
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

    /** Begins to watch. */
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

    /** The longest that a task kept the loop, of the last one to two minutes. */
    double longestSeconds() {
        return Math.max(longest, longestBefore);
    }
}
