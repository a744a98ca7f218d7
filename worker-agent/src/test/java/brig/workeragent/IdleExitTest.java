package brig.workeragent;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.workeragent.worker.Timers;
import java.util.ArrayDeque;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class IdleExitTest {
    private final Queue<Runnable> looks = new ArrayDeque<>();
    private long nowMs;
    private boolean needed;
    private int exits;

    private void pass(long ms) {
        for (long end = nowMs + ms; nowMs < end && !looks.isEmpty(); ) {
            looks.remove().run();
        }
    }

    @Test
    void shouldExitOnlyWhenNobodyNeededItForHalfAMinute() {
        Timers timers = new Timers() {
            @Override
            public long nowMs() {
                return nowMs;
            }

            @Override
            public Timer schedule(long delayMs, Runnable task) {
                looks.add(() -> {
                    nowMs += delayMs;
                    task.run();
                });
                return looks::clear;
            }
        };
        new IdleExit(timers, 30_000, () -> needed, () -> exits++).start();
        pass(28_000);
        needed = true;
        pass(60_000);
        needed = false;
        pass(28_000);
        assertEquals(0, exits);
        pass(4_000);
        assertEquals(1, exits);
    }
}
