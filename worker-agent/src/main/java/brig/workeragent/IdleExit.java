package brig.workeragent;

import brig.workeragent.worker.Timers;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a worker-agent that a gateway started for itself when it is no longer needed: without a connected gateway or a
 * living worker for half a minute. Owned by the timers' thread.
 */
final class IdleExit {
    private static final Logger LOG = LoggerFactory.getLogger(IdleExit.class);
    private static final long UNNEEDED_MS = 30_000;
    private static final long LOOK_MS = 2_000;

    private final Timers timers;
    private final BooleanSupplier needed;
    private final Runnable exit;
    private long neededAtMs;

    IdleExit(Timers timers, BooleanSupplier needed, Runnable exit) {
        this.timers = timers;
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
        if (nowMs - neededAtMs >= UNNEEDED_MS) {
            LOG.info("this worker-agent is no longer needed");
            exit.run();
        } else {
            timers.schedule(LOOK_MS, this::look);
        }
    }
}
