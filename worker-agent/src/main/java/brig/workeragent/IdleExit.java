package brig.workeragent;

import brig.workeragent.worker.Timers;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a worker-agent that a gateway started for itself when it is no longer needed: without a connected gateway or a
 * living worker for some time. Owned by the timers' thread.
 */
final class IdleExit {
    private static final Logger LOG = LoggerFactory.getLogger(IdleExit.class);
    private static final long LOOK_MS = 2_000;

    private final Timers timers;
    private final long unneededMs;
    private final BooleanSupplier needed;
    private final Runnable exit;
    private long neededAtMs;

    IdleExit(Timers timers, long unneededMs, BooleanSupplier needed, Runnable exit) {
        this.timers = timers;
        this.unneededMs = unneededMs;
        this.needed = needed;
        this.exit = exit;
        this.neededAtMs = timers.nowMs();
    }

    void start() {
        timers.schedule(LOOK_MS, this::look);
    }

    private void look() {
        long nowMs = timers.nowMs();
        if (needed.getAsBoolean()) {
            neededAtMs = nowMs;
        }
        if (nowMs - neededAtMs >= unneededMs) {
            LOG.info("this worker-agent is no longer needed");
            exit.run();
        } else {
            timers.schedule(LOOK_MS, this::look);
        }
    }
}
