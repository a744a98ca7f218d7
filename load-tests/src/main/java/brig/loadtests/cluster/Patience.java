package brig.loadtests.cluster;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Waits for what others do. */
final class Patience {
    private static final long NANOS_MAX = TimeUnit.SECONDS.toNanos(120);
    private static final long EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    private Patience() {}

    @FunctionalInterface
    interface Condition {
        boolean holds() throws IOException;
    }

    /** @throws IOException if it does not come */
    static void await(String what, Condition condition) throws IOException {
        long end = System.nanoTime() + NANOS_MAX;
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new IOException("waited too long until " + what);
            }
            LockSupport.parkNanos(EVERY_NANOS);
        }
    }
}
