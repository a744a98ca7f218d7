package brig.workeragent.worker;

import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs tasks one at a time, in order, on threads of another executor; state used only by them needs no lock. */
final class SerialExecutor implements Executor {
    private static final Logger LOG = LoggerFactory.getLogger(SerialExecutor.class);

    private final Executor threads;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Queue<Runnable> tasks = new ArrayDeque<>();
    private boolean running;

    SerialExecutor(Executor threads) {
        this.threads = threads;
    }

    @Override
    public void execute(Runnable task) {
        lock.lock();
        try {
            tasks.add(task);
            if (running) {
                return;
            }
            running = true;
        } finally {
            lock.unlock();
        }
        threads.execute(this::drain);
    }

    private void drain() {
        for (Runnable task = next(); task != null; task = next()) {
            try {
                task.run();
            } catch (RuntimeException | Error e) {
                LOG.error("a task failed", e);
            }
        }
    }

    private @Nullable Runnable next() {
        lock.lock();
        try {
            Runnable task = tasks.poll();
            running = task != null;
            return task;
        } finally {
            lock.unlock();
        }
    }
}
