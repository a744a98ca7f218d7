package brig.gateway.stream;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/** An event loop, or a disk's thread, that a test drives by hand: tasks wait until they are run. */
public final class Loop implements Executor {
    private final ArrayDeque<Runnable> tasks = new ArrayDeque<>();

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
    }

    public boolean isIdle() {
        return tasks.isEmpty();
    }

    public void runOne() {
        tasks.remove().run();
    }

    /** Runs what waits and what that brings. */
    public void run() {
        while (!isIdle()) {
            runOne();
        }
    }

    /** Runs two of them until both have nothing left. */
    static void runAll(Loop one, Loop other) {
        while (!one.isIdle() || !other.isIdle()) {
            one.run();
            other.run();
        }
    }
}
