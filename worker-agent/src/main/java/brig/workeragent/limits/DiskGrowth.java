package brig.workeragent.limits;

import java.util.function.LongSupplier;
import java.util.function.LongUnaryOperator;

/**
 * How much the folders of one session have grown since its first process. Adding them up may take seconds, and what the
 * file system says is cheap. So they are added up when the file system grew by half of what is left for the session,
 * and once a minute if it changed at all; never for more than a fifth of the time. What the file system grew by before
 * they were added up first counts as theirs.
 *
 * <p>Decision 0207.
 */
final class DiskGrowth {
    static final long HOLDS_MS = 60_000;
    static final long STEP_BYTES = 4L << 20;
    private static final long REST = 4;
    private static final long UNKNOWN = -1;

    private final long bytesMax;
    private final LongUnaryOperator bytesUpTo;
    private final LongSupplier clockMs;
    private long base = UNKNOWN;
    private long growth;
    private long usedThen = UNKNOWN;
    private long countedAtMs;
    private long restUntilMs;

    /**
     * @param bytesMax    0 for no limit of its own
     * @param bytesUpTo   the bytes of the folders; the count may stop above the argument
     */
    DiskGrowth(long bytesMax, LongUnaryOperator bytesUpTo, LongSupplier clockMs) {
        this.bytesMax = bytesMax == 0 ? Long.MAX_VALUE : bytesMax;
        this.bytesUpTo = bytesUpTo;
        this.clockMs = clockMs;
    }

    /**
     * The first process starts. Later calls do nothing.
     *
     * @param used the bytes in use of the file system
     */
    void begin(long used) {
        if (usedThen == UNKNOWN) {
            usedThen = used;
        }
    }

    /**
     * The growth, or what it was where little can have changed.
     *
     * @param used the bytes in use of the file system
     * @param low whether the file system is nearly full, so that any change counts
     */
    long look(long used, boolean low) {
        long nowMs = clockMs.getAsLong();
        long since = used - usedThen;
        boolean grown = since >= Math.max(STEP_BYTES, (bytesMax - growth) / 2);
        boolean old = since != 0 && (low || nowMs - countedAtMs >= HOLDS_MS);
        if (base == UNKNOWN || ((grown || old) && nowMs >= restUntilMs)) {
            count(used);
        }
        return growth;
    }

    private void count(long used) {
        long beginMs = clockMs.getAsLong();
        boolean first = base == UNKNOWN;
        long most = first || bytesMax > Long.MAX_VALUE - base ? Long.MAX_VALUE : base + bytesMax;
        long bytes = bytesUpTo.applyAsLong(most);
        if (first) {
            long unseen = usedThen == UNKNOWN ? 0 : Math.max(0, used - usedThen);
            base = Math.max(0, bytes - unseen);
        }
        growth = bytes - base;
        usedThen = used;
        countedAtMs = clockMs.getAsLong();
        restUntilMs = countedAtMs + REST * (countedAtMs - beginMs);
    }

    boolean exceeded() {
        return growth > bytesMax;
    }
}
