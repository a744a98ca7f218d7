package brig.gateway.stream;

import brig.gateway.time.Timers;
import org.jspecify.annotations.Nullable;

/**
 * When a subscriber that takes merged text gets more of it. Text that comes while it has had none for a time, or right
 * after another frame, goes out at once. What follows within that time waits in the log until it is over, so that
 * nothing waits longer and little is held back.
 *
 * <p>Owned by the event loop.
 */
final class Pace {
    /** More text than this does not wait. */
    static final int WAITING_BYTES_MAX = 16 * 1024;

    private final Timers timers;
    private final long maxLatencyMs;
    private final Runnable wake;
    /** Null if text need not wait. */
    private Timers.@Nullable Timer pause;

    /** @param wake called when text that waits is due */
    Pace(Timers timers, long maxLatencyMs, Runnable wake) {
        this.timers = timers;
        this.maxLatencyMs = maxLatencyMs;
        this.wake = wake;
    }

    boolean isPausing() {
        return pause != null;
    }

    /** @param isText whether the last frame written was text */
    void handleWritten(boolean isText) {
        if (!isText) {
            stop();
        } else if (pause == null) {
            pause = timers.after(maxLatencyMs, this::handleDue);
        }
    }

    private void handleDue() {
        pause = null;
        wake.run();
    }

    void stop() {
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
    }
}
