package brig.gateway.joint;

import java.util.concurrent.atomic.AtomicInteger;

/** How much all windows together may still become larger. */
final class Growth {
    private final AtomicInteger left;

    Growth(int bytes) {
        left = new AtomicInteger(bytes);
    }

    boolean take(int bytes) {
        boolean taken = left.addAndGet(-bytes) >= 0;
        if (!taken) {
            give(bytes);
        }
        return taken;
    }

    void give(int bytes) {
        left.addAndGet(bytes);
    }
}
