package brig.gateway.time;

import java.util.Comparator;
import java.util.PriorityQueue;

/** Timers whose time passes when a test says so. */
public final class HandTimers implements Timers {
    private record Due(long atMs, long order, Runnable task) {}

    private final PriorityQueue<Due> due =
            new PriorityQueue<>(Comparator.comparingLong(Due::atMs).thenComparingLong(Due::order));
    private long nowMs;
    private long set;

    @Override
    public Timer after(long delayMs, Runnable task) {
        Due one = new Due(nowMs + Math.max(delayMs, 1), set++, task);
        due.add(one);
        return () -> due.remove(one);
    }

    /** Lets so much time pass, and what is due happen. */
    public void pass(long ms) {
        long until = nowMs + ms;
        for (Due next = due.peek(); next != null && next.atMs() <= until; next = due.peek()) {
            due.remove();
            nowMs = next.atMs();
            next.task().run();
        }
        nowMs = until;
    }

    public boolean isIdle() {
        return due.isEmpty();
    }
}
