package brig.gateway.time;

import java.util.Comparator;
import java.util.PriorityQueue;

/** A clock that stands until a test moves it, and the timers that it passes on the way. */
public final class FakeTime implements Clock, Timers {
    private record Set(long atMs, long order, Runnable task) {}

    private final PriorityQueue<Set> timers =
            new PriorityQueue<>(Comparator.comparingLong(Set::atMs).thenComparingLong(Set::order));
    private long nowMs = 1_767_225_600_000L;
    private long order;

    @Override
    public long nowMs() {
        return nowMs;
    }

    @Override
    public Timer after(long delayMs, Runnable task) {
        Set timer = new Set(nowMs + Math.max(delayMs, 1), order++, task);
        timers.add(timer);
        return () -> timers.remove(timer);
    }

    /** Lets that much time pass; timers fire at their time, those that they set too. */
    public void pass(long ms) {
        long endMs = nowMs + ms;
        while (!timers.isEmpty() && timers.peek().atMs() <= endMs) {
            Set due = timers.remove();
            nowMs = due.atMs();
            due.task().run();
        }
        nowMs = endMs;
    }

    /** Timers that are set and have not fired. */
    public int pending() {
        return timers.size();
    }
}
