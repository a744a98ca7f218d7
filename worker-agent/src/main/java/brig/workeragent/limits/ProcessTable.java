package brig.workeragent.limits;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Processes of the host at one moment. Format: proc(5). */
final class ProcessTable {
    private static final long PAGE_BYTES = 4096;
    // Of /proc/PID/stat, counted from behind the name.
    private static final int PARENT = 1;
    private static final int MINOR_FAULTS = 7;
    private static final int MAJOR_FAULTS = 9;
    private static final int USER_TICKS = 11;
    private static final int SYSTEM_TICKS = 12;
    private static final int VIRTUAL_BYTES = 20;
    private static final int RESIDENT_PAGES = 21;

    private final Map<Long, Entry> byPid = new HashMap<>();
    private final Map<Long, List<Entry>> byParent = new HashMap<>();

    /**
     * A process.
     *
     * @param ticks of CPU, in hundredths of a second
     * @param faults of pages: without one a process gets no more memory of its own
     */
    record Entry(long pid, long parent, long ticks, long faults, long virtualBytes, long residentBytes) {
        /** Reads its line. */
        static Entry parse(long pid, String line) {
            String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
            return new Entry(
                    pid,
                    Long.parseLong(fields[PARENT]),
                    Long.parseLong(fields[USER_TICKS]) + Long.parseLong(fields[SYSTEM_TICKS]),
                    Long.parseLong(fields[MINOR_FAULTS]) + Long.parseLong(fields[MAJOR_FAULTS]),
                    Long.parseLong(fields[VIRTUAL_BYTES]),
                    Long.parseLong(fields[RESIDENT_PAGES]) * PAGE_BYTES);
        }
    }

    ProcessTable(List<Entry> entries) {
        for (Entry entry : entries) {
            byPid.put(entry.pid(), entry);
            byParent.computeIfAbsent(entry.parent(), parent -> new ArrayList<>(1))
                    .add(entry);
        }
    }

    /** A process and all below it; empty once it has ended. */
    List<Entry> tree(long root) {
        List<Entry> tree = new ArrayList<>();
        Deque<Entry> next = new ArrayDeque<>();
        Entry first = byPid.get(root);
        if (first != null) next.add(first);
        while (!next.isEmpty()) {
            Entry entry = next.remove();
            tree.add(entry);
            next.addAll(byParent.getOrDefault(entry.pid(), List.of()));
        }
        return tree;
    }

    /** The ids of all processes that are in none of the trees. */
    Set<Long> outside(Set<Long> roots) {
        Set<Long> others = new HashSet<>(byPid.keySet());
        roots.forEach(root -> tree(root).forEach(entry -> others.remove(entry.pid())));
        return others;
    }
}
