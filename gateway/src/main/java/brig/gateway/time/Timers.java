package brig.gateway.time;

/** Timers that fire on the event loop. */
public interface Timers {
    /** A timer that was set. */
    @FunctionalInterface
    interface Timer {
        /** Forgets the timer; nothing happens where it fired already. */
        void cancel();
    }

    /** Runs the task once, {@code delayMs} milliseconds from now, at least one. */
    Timer after(long delayMs, Runnable task);
}
