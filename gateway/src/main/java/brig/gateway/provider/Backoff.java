package brig.gateway.provider;

/** How long to wait before the next attempt: twice as long each time, with full jitter, so that many do not come at once. */
public final class Backoff {
    public static final long FIRST_MS = 250;
    static final long MOST_MS = 10_000;
    private static final int DOUBLINGS_MAX = 10;

    /** A number from 0 up to a bound, without it. */
    @FunctionalInterface
    public interface Jitter {
        long below(long bound);
    }

    private final Jitter jitter;
    private int attempts;

    public Backoff(Jitter jitter) {
        this.jitter = jitter;
    }

    /** @param leastMs what the other side asks for */
    public long nextMs(long leastMs) {
        long most = Math.min(MOST_MS, FIRST_MS << Math.min(attempts++, DOUBLINGS_MAX));
        return leastMs + 1 + jitter.below(most);
    }

    /** It went well: the next wait is short. */
    public void reset() {
        attempts = 0;
    }
}
