package brig.workeragent.worker;

import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** The system clock, and one thread for all timers, whose tasks only delegate to other threads. */
public final class SystemTimers implements Timers {
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brig-timers").factory());

    public SystemTimers() {
        // Most timers of a worker are cancelled; their tasks must not retain it.
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
