package brig.egress.rate;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Time that passes when a test says so. */
public final class ManualTimers implements GateTimers {
    public static final long WALL_MS = 1_767_225_600_000L;

    private record Task(long atMs, long order, Runnable run) {}

    private final PriorityQueue<Task> tasks =
            new PriorityQueue<>(Comparator.comparingLong(Task::atMs).thenComparing(Task::order));
    private long nowMs;
    private long order;
    private Runnable whenAsked = () -> {};

    @Override
    public long nowMs() {
        Runnable first = whenAsked;
        whenAsked = () -> {};
        first.run();
        return nowMs;
    }

    /** Another thread does that just when the time is asked for next. */
    void whenAsked(Runnable task) {
        whenAsked = task;
    }

    @Override
    public long wallMs() {
        return WALL_MS + nowMs;
    }

    @Override
    public Runnable schedule(Runnable task, long delayMs) {
        Task scheduled = new Task(nowMs + Math.max(0, delayMs), order++, task);
        tasks.add(scheduled);
        return () -> tasks.remove(scheduled);
    }

    public int scheduled() {
        return tasks.size();
    }

    /** Runs the next task. @return whether there was one until then */
    public boolean step(long untilMs) {
        Task next = tasks.peek();
        if (next == null || next.atMs() > untilMs) {
            nowMs = Math.max(nowMs, untilMs);
            return false;
        }
        tasks.remove();
        nowMs = Math.max(nowMs, next.atMs());
        next.run().run();
        return true;
    }

    public void pass(long ms) {
        long untilMs = nowMs + ms;
        while (step(untilMs)) {
            // All that is due.
        }
    }
}
