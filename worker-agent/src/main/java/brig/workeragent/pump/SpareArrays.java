package brig.workeragent.pump;

import java.util.ArrayDeque;

/**
 * Arrays of one size that are used again. A flood of 180 MiB a second would otherwise have the heap collected 50 times a
 * second, and all agents wait meanwhile. Thread-safe.
 *
 * <p>Decision 0177.
 */
final class SpareArrays {
    private final int bytes;
    private final int countMax;
    /** Guarded by itself. */
    private final ArrayDeque<byte[]> spare = new ArrayDeque<>();

    /** @param countMax of those kept */
    SpareArrays(int bytes, int countMax) {
        this.bytes = bytes;
        this.countMax = countMax;
    }

    /** An array of so many bytes; only those of the one size have been used. */
    byte[] take(int length) {
        if (length == bytes) {
            synchronized (spare) {
                byte[] used = spare.poll();
                if (used != null) {
                    return used;
                }
            }
        }
        return new byte[length];
    }

    /** Nobody uses it any longer. */
    void give(byte[] used) {
        if (used.length == bytes) {
            synchronized (spare) {
                if (spare.size() < countMax) {
                    spare.push(used);
                }
            }
        }
    }
}
