package brig.formats.adapter;

import java.util.Arrays;
import java.util.concurrent.Semaphore;

/**
 * Splits an agent's output into lines of at most {@link #LINE_BYTES_MAX}, independent of how the reads split it. A
 * longer line is reported once, with its beginning, and skipped to its newline. State is owned by one thread.
 *
 * <p>All workers of a host share one memory budget for long lines. A line for which nothing is left is skipped: an
 * agent that writes long lines can cost others a line, but cannot exhaust the process's memory. Nothing waits for
 * memory: whoever would release it may be read by the same thread.
 *
 * <p>Decisions 0060, 0178.
 */
public final class NativeLines {
    /** Receives lines, in order. */
    public interface Sink {
        /** A line without its newline. The bytes are valid during the call only. */
        void handleLine(byte[] bytes, int offset, int length) throws InterruptedException;

        /** The first bytes of a line that is too long, or for which there is no memory now. */
        void handleLongLine(byte[] bytes, int length) throws InterruptedException;
    }

    /** The largest known line, 6.25 MB of escaped control characters, and a margin. */
    public static final int LINE_BYTES_MAX = 8 * 1024 * 1024;

    private static final int FREE_BYTES = 64 * 1024;
    private static final int KEPT_BYTES_MIN = 512;
    /** Memory for each byte of a line while it is parsed: the byte, its text, the parser's copies. */
    private static final int COST_PER_BYTE = 4;

    private static final int BUDGET_BYTES = 192 * 1024 * 1024;
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

    /** The pipe ended: a rest without a newline counts as a line. */
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

    /** Reserves memory for a line of that length from the shared budget. */
    private boolean pay(int length) {
        int cost = length <= FREE_BYTES ? 0 : COST_PER_BYTE * length;
        if (cost <= paid) {
            return true;
        }
        // The reservation doubles, so that a long line does not reserve at each read.
        int owed = Math.min(Math.max(cost, 2 * paid), COST_PER_BYTE * LINE_BYTES_MAX) - paid;
        if (!BUDGET.tryAcquire(owed)) {
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
