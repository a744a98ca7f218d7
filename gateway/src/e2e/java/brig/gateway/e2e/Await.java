package brig.gateway.e2e;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what has no event of its own to wait for: processes and files. */
final class Await {
    static final long DEADLINE_SECONDS = 20;

    private Await() {}

    interface Condition {
        boolean holds() throws IOException;
    }

    /** Returns as soon as it holds. @throws AssertionError where it does not within the deadline */
    static void until(String what, Condition condition) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}
