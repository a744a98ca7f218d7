package brig.loadtests;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Programs of this host: whether they are installed, and the memory of running ones. */
final class Programs {
    private Programs() {}

    static boolean isInstalled(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /** Memory of all processes with these names, with shared memory divided (PSS). */
    static double proportionalBytes(List<String> names) throws IOException {
        long kib = 0;
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                kib += proportionalKib(process, names);
            }
        }
        return kib * 1024.0;
    }

    private static long proportionalKib(Path process, List<String> names) {
        try {
            if (!names.contains(Files.readString(process.resolve("comm")).strip())) {
                return 0;
            }
            return proportionalKib(process);
        } catch (IOException ended) {
            return 0;
        }
    }

    /** As above, for processes whose command line contains that word. */
    static double commandBytes(String word) throws IOException {
        long kib = 0;
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (Path process : processes) {
                kib += commandKib(process, word);
            }
        }
        return kib * 1024.0;
    }

    private static long commandKib(Path process, String word) {
        try {
            return Files.readString(process.resolve("cmdline")).contains(word) ? proportionalKib(process) : 0;
        } catch (IOException ended) {
            return 0;
        }
    }

    private static long proportionalKib(Path process) throws IOException {
        return Files.readAllLines(process.resolve("smaps_rollup")).stream()
                .filter(line -> line.startsWith("Pss:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
                .sum();
    }

    /** Memory available to programs, in bytes. */
    static long availableBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo")).stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024)
                .findFirst()
                .orElseThrow();
    }
}
