package brig.gateway.e2e;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/** Waits for what has no event of its own to wait for: processes and files. */
final class Await {
    /** Only who waits in vain waits so long. */
    static final long DEADLINE_SECONDS = 60;

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private Await() {}

    interface Condition {
        boolean holds() throws IOException;
    }

    /** Returns as soon as it holds. @throws AssertionError where it does not within the deadline */
    static void until(String what, Condition condition) throws IOException {
        until(what, () -> "", condition);
    }

    /** @param shown is part of the error: what there is instead */
    static void until(String what, Supplier<String> shown, Condition condition) throws IOException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(DEADLINE_SECONDS);
        for (long asked = System.nanoTime(); !condition.holds(); asked = System.nanoTime()) {
            long now = System.nanoTime();
            if (now > end) {
                throw new AssertionError("not within " + DEADLINE_SECONDS + " s: " + what + "\n" + shown.get());
            }
            // Others need the processor more than a condition that takes long to look at.
            LockSupport.parkNanos(Math.max(PAUSE_NANOS, 3 * (now - asked)));
        }
    }
}
