package brig.gateway.stream;

import brig.gateway.time.Timers;

/**
 * Says to recorders that have little to write when to write it: after two or three seconds, each at a moment of its own.
 * Many at one moment would hold up the frames of all streams while they write. Until then the worker-agent has what a
 * recorder waits with. State owned by the event loop.
 */
public final class RecordingClock {
    private static final long DELAY_MS_MIN = 2_000;
    private static final int SPREAD_MS = 1_000;
    /** Steps of the golden ratio of the spread: whoever comes next falls into the largest space that is left. */
    private static final int STEP_MS = 618;

    private final Timers timers;
    private int offsetMs;

    public RecordingClock(Timers timers) {
        this.timers = timers;
    }

    /** Calls once, within {@code DELAY_MS_MIN + SPREAD_MS}. */
    void await(Runnable recorder) {
        offsetMs = (offsetMs + STEP_MS) % SPREAD_MS;
        timers.after(DELAY_MS_MIN + offsetMs, recorder);
    }
}
