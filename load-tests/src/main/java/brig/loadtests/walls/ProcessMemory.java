package brig.loadtests.walls;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The memory of processes, where what they share is divided among them (PSS). */
final class ProcessMemory {
    private static final double KIB_PER_MIB = 1024;

    private ProcessMemory() {}

    /** All processes that these started, directly or not. */
    static Set<Long> below(List<ProcessHandle> starters) {
        return starters.stream()
                .flatMap(ProcessHandle::descendants)
                .map(ProcessHandle::pid)
                .collect(Collectors.toSet());
    }

    /** @throws IOException if one of them may not be looked at */
    static double mib(Set<Long> processes) throws IOException {
        long kib = 0;
        for (long process : processes) {
            kib += proportionalKib(Files.readString(Path.of("/proc/" + process + "/smaps_rollup")));
        }
        return kib / KIB_PER_MIB;
    }

    /** @param rollup as the kernel writes it */
    static long proportionalKib(String rollup) {
        return rollup.lines()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }
}
