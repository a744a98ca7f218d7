package brig.workeragent.tunnel.files;

import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * What was heard of files within the last second, so that a program that looks at all files of a folder waits for the
 * far side once. Any change that goes through the mount makes all of it void, and so does {@link #forget}. An answer
 * that was on its way at that time is not kept. Not thread-safe.
 */
final class AttributeCache {
    private static final long KEPT_NANOS = 1_000_000_000;
    private static final int FILES_MAX = 50_000;

    private record Known(@Nullable FileAttributes attributes, long sinceNanos, long generation) {}

    private final LongSupplier nanos;
    private final Map<FarPath, Known> files = new HashMap<>();
    /** Folders to which no link led. */
    private final Map<FarPath, Known> folders = new HashMap<>();

    private long generation;

    AttributeCache(LongSupplier nanos) {
        this.nanos = nanos;
    }

    /** To be asked for before a request whose answer will be kept. */
    long generation() {
        return generation;
    }

    void forget() {
        generation++;
        files.clear();
        folders.clear();
    }

    @Nullable
    FileAttributes attributes(FarPath file) {
        Known known = files.get(file);
        return known != null && isFresh(known) ? known.attributes() : null;
    }

    void keep(FarPath file, FileAttributes attributes, long generation) {
        keep(files, file, attributes, generation);
    }

    boolean isStraight(FarPath folder) {
        Known known = folders.get(folder);
        return known != null && isFresh(known);
    }

    void keepStraight(FarPath folder, long generation) {
        keep(folders, folder, null, generation);
    }

    private void keep(Map<FarPath, Known> in, FarPath path, @Nullable FileAttributes attributes, long generation) {
        if (generation != this.generation) {
            return;
        }
        if (in.size() >= FILES_MAX) {
            in.clear();
        }
        in.put(path, new Known(attributes, nanos.getAsLong(), generation));
    }

    private boolean isFresh(Known known) {
        return known.generation() == generation && nanos.getAsLong() - known.sinceNanos() < KEPT_NANOS;
    }
}
