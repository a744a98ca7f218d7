package brig.workeragent.worker;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The time of the host. One thread for all timers: their tasks only hand something over to somebody else. */
public final class SystemTimers implements Timers {
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brig-timers").factory());

    public SystemTimers() {
        // A worker's timers are taken back most of the time; their tasks must not hold it in memory.
        executor.setRemoveOnCancelPolicy(true);
    }

    @Override
    public long nowMs() {
        return System.currentTimeMillis();
    }

    @Override
    public Timer schedule(long delayMs, Runnable task) {
        ScheduledFuture<?> future = executor.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        return () -> future.cancel(false);
    }
}
