package brig.egress.budget;

import java.util.concurrent.atomic.AtomicLong;

/**
 * What all workers with a budget share. Thread-safe.
 *
 * @param held bytes of requests that are held until they are known whole
 */
public record Spending(Purses purses, CallBounds calls, AtomicLong held) {
    private static final long MIB = 1024L * 1024;
    private static final long HELD_BYTES_MAX = 48 * MIB;
    /** The rest is for workers that hold no more than so much: a few long requests do not keep out all others. */
    private static final long HELD_LONG_BYTES_MAX = 32 * MIB;

    private static final long SHORT_BYTES_MAX = 2 * MIB;

    public Spending(Purses purses, CallBounds calls) {
        this(purses, calls, new AtomicLong());
    }

    /**
     * Takes memory for a part of a request.
     *
     * @param own what that worker holds
     * @return false if there is none left
     */
    public boolean hold(AtomicLong own, long bytes) {
        long most = own.addAndGet(bytes) <= SHORT_BYTES_MAX ? HELD_BYTES_MAX : HELD_LONG_BYTES_MAX;
        if (held.addAndGet(bytes) > most) {
            release(own, bytes);
            return false;
        }
        return true;
    }

    public void release(AtomicLong own, long bytes) {
        own.addAndGet(-bytes);
        held.addAndGet(-bytes);
    }
}
