package brig.workeragent.worker;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Time that passes when the test says so; tasks run in the thread that lets it pass. */
public final class FakeTimers implements Timers {
    private final class Task implements Timer {
        final long dueMs;
        final Runnable run;

        Task(long dueMs, Runnable run) {
            this.dueMs = dueMs;
            this.run = run;
        }

        @Override
        public void cancel() {
            synchronized (FakeTimers.this) {
                tasks.remove(this);
            }
        }
    }

    private final List<Task> tasks = new ArrayList<>();
    private long nowMs = 1000;

    @Override
    public synchronized long nowMs() {
        return nowMs;
    }

    @Override
    public synchronized Timer schedule(long delayMs, Runnable task) {
        Task added = new Task(nowMs + delayMs, task);
        tasks.add(added);
        return added;
    }

    public void advance(long ms) {
        long end = nowMs() + ms;
        for (Task next = takeDue(end); next != null; next = takeDue(end)) {
            next.run.run();
        }
        synchronized (this) {
            nowMs = end;
        }
    }

    synchronized int waiting() {
        return tasks.size();
    }

    private synchronized Task takeDue(long end) {
        Task next = tasks.stream()
                .filter(task -> task.dueMs <= end)
                .min(Comparator.comparingLong(task -> task.dueMs))
                .orElse(null);
        tasks.remove(next);
        nowMs = next == null ? nowMs : next.dueMs;
        return next;
    }
}
