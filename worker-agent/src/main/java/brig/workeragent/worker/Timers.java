package brig.workeragent.worker;

import java.util.concurrent.Executor;

/** Time as an argument: now, and later. */
public interface Timers {
    /** A task that waits for its time. */
    interface Timer {
        /** Takes the task back; it may be running already. */
        void cancel();
    }

    /** Milliseconds since 1970. */
    long nowMs();

    /** Runs the task once after so many milliseconds. */
    Timer schedule(long delayMs, Runnable task);

    /** The same time, with tasks that run where {@code owner} runs them. */
    default Timers on(Executor owner) {
        Timers all = this;
        return new Timers() {
            @Override
            public long nowMs() {
                return all.nowMs();
            }

            @Override
            public Timer schedule(long delayMs, Runnable task) {
                return all.schedule(delayMs, () -> owner.execute(task));
            }
        };
    }
}
