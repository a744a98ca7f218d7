package brig.formats.adapter;

import java.util.Arrays;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * Cuts what an agent writes into lines of at most {@link #LINE_BYTES_MAX}, wherever the reads happened to split it. A
 * longer line is reported once, with its beginning, and skipped to its newline. State is owned by one thread.
 *
 * <p>All workers of a host share one budget of memory for lines that are long. Who gets nothing of it in time has its
 * line skipped: one agent that writes long lines costs others theirs at worst, and never the process its memory.
 *
 * <p>Decision 0060.
 */
public final class NativeLines {
    /** Receives lines, in order. */
    public interface Sink {
        /** A line without its newline. The bytes are valid during the call only. */
        void handleLine(byte[] bytes, int offset, int length) throws InterruptedException;

        /** A line is too long, or there is no room for it now; these are its first bytes. */
        void handleLongLine(byte[] bytes, int length) throws InterruptedException;
    }

    /** What the largest line known takes, 6.25 MB of escaped control characters, and some more. */
    public static final int LINE_BYTES_MAX = 8 * 1024 * 1024;

    private static final int FREE_BYTES = 64 * 1024;
    private static final int KEPT_BYTES_MIN = 512;
    /** What becomes of a byte of a line while it is read: itself, its text, and what the parser copies. */
    private static final int COST_PER_BYTE = 4;

    private static final int BUDGET_BYTES = 192 * 1024 * 1024;
    private static final long ROOM_WAIT_MS = 5000;
    private static final Semaphore BUDGET = new Semaphore(BUDGET_BYTES);

    private final Sink sink;
    private byte[] kept = new byte[KEPT_BYTES_MIN];
    private int keptLength;
    private int paid;
    private boolean skipping;

    public NativeLines(Sink sink) {
        this.sink = sink;
    }

    /** Takes the next bytes. */
    public void read(byte[] bytes, int offset, int count) throws InterruptedException {
        int start = offset;
        int end = offset + count;
        for (int at = offset; at < end; at++) {
            if (bytes[at] == '\n') {
                finishLine(bytes, start, at - start);
                start = at + 1;
            }
        }
        if (start < end && !skipping) {
            keep(bytes, start, end - start);
        }
    }

    /** The pipe ended; what has no newline is a line too. */
    public void finish() throws InterruptedException {
        finishLine(kept, 0, 0);
    }

    private void finishLine(byte[] bytes, int offset, int length) throws InterruptedException {
        try {
            if (skipping) {
                return;
            }
            if (keptLength == 0 && length <= FREE_BYTES) {
                deliver(bytes, offset, length);
            } else if (keep(bytes, offset, length)) {
                deliver(kept, 0, keptLength);
            }
        } finally {
            skipping = false;
            release();
        }
    }

    private void deliver(byte[] bytes, int offset, int length) throws InterruptedException {
        int end = length > 0 && bytes[offset + length - 1] == '\r' ? length - 1 : length;
        if (end > 0) {
            sink.handleLine(bytes, offset, end);
        }
    }

    private boolean keep(byte[] bytes, int offset, int count) throws InterruptedException {
        int wanted = keptLength + count;
        if (wanted > LINE_BYTES_MAX || !pay(wanted)) {
            sink.handleLongLine(kept, Math.min(keptLength, FREE_BYTES));
            skipping = true;
            release();
            return false;
        }
        if (wanted > kept.length) {
            kept = Arrays.copyOf(kept, Math.min(Math.max(wanted, 2 * kept.length), LINE_BYTES_MAX));
        }
        System.arraycopy(bytes, offset, kept, keptLength, count);
        keptLength = wanted;
        return true;
    }

    /** Takes room for a line of that length from what all share. */
    private boolean pay(int length) throws InterruptedException {
        int cost = length <= FREE_BYTES ? 0 : COST_PER_BYTE * length;
        if (cost <= paid) {
            return true;
        }
        // In steps that double, so that a line does not ask for each read.
        int owed = Math.min(Math.max(cost, 2 * paid), COST_PER_BYTE * LINE_BYTES_MAX) - paid;
        if (!BUDGET.tryAcquire(owed, ROOM_WAIT_MS, TimeUnit.MILLISECONDS)) {
            return false;
        }
        paid += owed;
        return true;
    }

    private void release() {
        keptLength = 0;
        if (kept.length > FREE_BYTES) {
            kept = new byte[KEPT_BYTES_MIN];
        }
        BUDGET.release(paid);
        paid = 0;
    }
}
