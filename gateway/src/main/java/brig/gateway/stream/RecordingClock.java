package brig.gateway.stream;

import brig.gateway.time.Timers;
import java.util.ArrayList;
import java.util.List;

/**
 * Ticks for recorders that have something to write, all at once: the disk's thread is woken for many streams together.
 * State owned by the event loop.
 */
public final class RecordingClock {
    private static final long TICK_MS = 200;

    private final Timers timers;
    private List<Runnable> waiting = new ArrayList<>();

    public RecordingClock(Timers timers) {
        this.timers = timers;
    }

    /** Calls at the next tick, once. */
    void await(Runnable recorder) {
        if (waiting.isEmpty()) {
            timers.after(TICK_MS, this::tick);
        }
        waiting.add(recorder);
    }

    private void tick() {
        List<Runnable> due = waiting;
        waiting = new ArrayList<>();
        due.forEach(Runnable::run);
    }
}
