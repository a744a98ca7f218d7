package brig.gateway.stream;

import brig.gateway.time.Timers;

/**
 * Schedules the writes of recorders with little data: after about a second, each at a different moment, since many
 * writes at once would delay the frames of all streams. Until then the worker-agent keeps the frames. Owned by the
 * event loop.
 */
public final class RecordingClock {
    private static final long DELAY_MS_MIN = 500;
    private static final int SPREAD_MS = 500;
    /** Steps of the golden ratio of the spread: each newcomer falls into the largest gap. */
    private static final int STEP_MS = 309;

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
