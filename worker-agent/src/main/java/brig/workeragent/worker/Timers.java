package brig.workeragent.worker;

import java.util.concurrent.Executor;

/** Time as a dependency: a clock and timers. */
public interface Timers {
    /** A pending task. */
    interface Timer {
        /** Cancels the task, which may be running already. */
        void cancel();
    }

    /** Milliseconds since 1970. */
    long nowMs();

    /** Runs the task once after that many milliseconds. */
    Timer schedule(long delayMs, Runnable task);

    /** The same clock and timers, with tasks run by {@code owner}. */
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
