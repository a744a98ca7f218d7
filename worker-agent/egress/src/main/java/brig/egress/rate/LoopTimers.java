package brig.egress.rate;

import io.netty.util.concurrent.EventExecutor;
import io.netty.util.concurrent.ScheduledFuture;
import java.time.Clock;
import java.util.concurrent.TimeUnit;

/** Timers of an event loop. */
public record LoopTimers(EventExecutor loop, Clock clock) implements GateTimers {
    private static final long START_NANOS = System.nanoTime();

    @Override
    public long nowMs() {
        return (System.nanoTime() - START_NANOS) / 1_000_000;
    }

    @Override
    public long wallMs() {
        return clock.millis();
    }

    @Override
    public Runnable schedule(Runnable task, long delayMs) {
        ScheduledFuture<?> scheduled = loop.schedule(task, delayMs, TimeUnit.MILLISECONDS);
        return () -> scheduled.cancel(false);
    }
}
