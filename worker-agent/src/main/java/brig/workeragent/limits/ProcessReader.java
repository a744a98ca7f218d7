package brig.workeragent.limits;

import brig.workeragent.limits.ProcessTable.Entry;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads the processes of the host, once for all walls. Most are in no wall: they are read once a second, those of walls
 * and new ones each time. Nothing but the reuse of an id brings a process into a wall that was outside before.
 *
 * <p>Decision 0027.
 */
final class ProcessReader {
    static final long ALL_MS = 1_000;

    private final Path proc;
    private Set<Long> roots = Set.of();
    private Set<Long> strangers = Set.of();
    private long allAtMs;

    /** @param proc the folder that is usually {@code /proc} */
    ProcessReader(Path proc) {
        this.proc = proc;
    }

    /** @param walls the processes that are the roots of walls */
    ProcessTable read(Set<Long> walls, long nowMs) throws IOException {
        boolean all = !walls.equals(roots) || nowMs - allAtMs >= ALL_MS;
        ProcessTable table = new ProcessTable(entries(all ? Set.of() : strangers));
        if (all) {
            roots = walls;
            strangers = table.outside(walls);
            allAtMs = nowMs;
        }
        return table;
    }

    private List<Entry> entries(Set<Long> without) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (DirectoryStream<Path> folders = Files.newDirectoryStream(proc, "[0-9]*")) {
            for (Path folder : folders) {
                long pid = Long.parseLong(folder.getFileName().toString());
                String line = without.contains(pid) ? null : stat(folder);
                if (line != null) {
                    entries.add(Entry.parse(pid, line));
                }
            }
        }
        return entries;
    }

    private static @Nullable String stat(Path folder) {
        try {
            return Files.readString(folder.resolve("stat"), StandardCharsets.ISO_8859_1);
        } catch (IOException ended) {
            return null;
        }
    }
}
