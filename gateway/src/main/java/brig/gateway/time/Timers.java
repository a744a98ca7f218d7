package brig.gateway.time;

/** Timers that fire on the event loop. */
public interface Timers {
    /** A pending timer. */
    @FunctionalInterface
    interface Timer {
        /** Cancels the timer; no effect if it has fired. */
        void cancel();
    }

    /** Runs the task once, {@code delayMs} milliseconds from now, at least one. */
    Timer after(long delayMs, Runnable task);
}
