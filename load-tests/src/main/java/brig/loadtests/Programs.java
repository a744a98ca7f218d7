package brig.loadtests;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Programs of this host: which are installed, and what the running ones take. */
final class Programs {
    private Programs() {}

    static boolean isInstalled(String name) {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":", -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, name)));
    }

    /** Memory of all processes of these names, what they share with others divided among them (PSS). */
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
            return Files.readAllLines(process.resolve("smaps_rollup")).stream().filter(line -> line.startsWith("Pss:"))
                    .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", ""))).sum();
        } catch (IOException ended) {
            return 0;
        }
    }
}
