package brig.workeragent.limits;

import brig.workeragent.limits.ProcessTable.Entry;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Judges the memory of one wall, look by look. To measure it takes milliseconds for each process; what the table of
 * processes says is cheap. So a wall is measured if it did anything, and while it has less than half of its limit once a
 * second.
 *
 * <p>Decision 0027.
 */
final class WallWatch {
    /** How long a measurement holds for a wall that is far from its limit. */
    static final long HOLDS_MS = 1_000;

    /** Measures a wall. */
    interface Gauge {
        /** All of its memory. */
        long bytes(long root, List<Entry> tree);

        /** The files in its memory, which is cheap. */
        long fileBytes(long root);
    }

    private record Measured(List<Entry> tree, long fileBytes, long bytes, long atMs) {}

    private final long root;
    private final long bytesMax;
    private final Gauge gauge;
    private @Nullable Measured last;

    WallWatch(long root, long bytesMax, Gauge gauge) {
        this.root = root;
        this.bytesMax = bytesMax;
        this.gauge = gauge;
    }

    /** The bytes of the wall, or what they were where it has done nothing since; 0 after its end. */
    long look(ProcessTable table, long nowMs) {
        List<Entry> tree = table.tree(root);
        if (tree.isEmpty()) {
            return 0;
        }
        Measured before = last;
        if (before != null && before.tree.equals(tree)) {
            return before.bytes;
        }
        long files = gauge.fileBytes(root);
        if (before != null && nowMs - before.atMs < HOLDS_MS) {
            long estimate = before.bytes
                    + Math.max(0, resident(tree) - resident(before.tree))
                    + Math.max(0, files - before.fileBytes);
            if (estimate <= bytesMax / 2) {
                return estimate;
            }
        }
        long bytes = gauge.bytes(root, tree);
        last = new Measured(tree, files, bytes, nowMs);
        return bytes;
    }

    private static long resident(List<Entry> tree) {
        return tree.stream().mapToLong(Entry::residentBytes).sum();
    }

    long root() {
        return root;
    }

    long bytesMax() {
        return bytesMax;
    }
}
