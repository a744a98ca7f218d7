package brig.gateway.stream;

import brig.gateway.time.Timers;
import org.jspecify.annotations.Nullable;

/**
 * Debounces the throttled state that subscribers see. A captain that reads slowly but steadily pauses and resumes the
 * worker many times a second, so only a state that lasted for {@link #LASTS_MS} is reported.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decision 0030.
 */
final class Throttle {
    static final long LASTS_MS = 200;

    private final Timers timers;
    private final Runnable changed;
    private boolean paused;
    private boolean shown;
    private Timers.@Nullable Timer lasting;

    /** @param changed called when {@link #isShown} has changed */
    Throttle(Timers timers, Runnable changed) {
        this.timers = timers;
        this.changed = changed;
    }

    void handlePaused(boolean nowPaused) {
        paused = nowPaused;
        if (lasting != null) {
            lasting.cancel();
            lasting = null;
        }
        if (paused != shown) {
            lasting = timers.after(LASTS_MS, this::handleLasted);
        }
    }

    private void handleLasted() {
        lasting = null;
        shown = paused;
        changed.run();
    }

    boolean isShown() {
        return shown;
    }
}
