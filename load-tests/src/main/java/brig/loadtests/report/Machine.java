package brig.loadtests.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The measured host. */
public final class Machine {
    private Machine() {}

    /** Its description in one line. */
    public static String line() {
        return "%d cores of %s, %s, Linux %s, JDK %s, load %s"
                .formatted(
                        Runtime.getRuntime().availableProcessors(),
                        field("/proc/cpuinfo", "model name"),
                        field("/proc/meminfo", "MemTotal"),
                        System.getProperty("os.version"),
                        Runtime.version(),
                        firstLine("/proc/loadavg"));
    }

    private static String field(String file, String name) {
        try {
            return Files.readAllLines(Path.of(file)).stream()
                    .filter(line -> line.startsWith(name))
                    .findFirst()
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .orElse("unknown");
        } catch (IOException e) {
            return "unknown";
        }
    }

    private static String firstLine(String file) {
        try {
            return Files.readString(Path.of(file)).strip();
        } catch (IOException e) {
            return "unknown";
        }
    }
}
