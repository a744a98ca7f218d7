package brig.egress.confinement;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What brig-egress finds when it looks at itself: what the kernel says of it, and what it tries and is refused. */
public final class SelfMeasurement {
    private static final Path PROC = Path.of("/proc");
    private static final List<String> SETS = List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb");

    private SelfMeasurement() {}

    /**
     * Measures, with words as values.
     *
     * @param closed paths of the host that must not be here
     */
    public static Map<String, Object> measure(List<String> closed) throws IOException {
        Map<String, String> status = status();
        Map<String, Object> found = new LinkedHashMap<>();
        found.put("users", status.getOrDefault("Uid", ""));
        found.put("groups", status.getOrDefault("Gid", ""));
        found.put("supplementary", status.getOrDefault("Groups", ""));
        found.put(
                "capabilities",
                String.join(
                        " ",
                        SETS.stream().map(set -> status.getOrDefault(set, "?")).toList()));
        found.put("noNewPrivileges", status.getOrDefault("NoNewPrivs", ""));
        found.put("seccomp", status.getOrDefault("Seccomp", ""));
        found.put("startsPrograms", startsPrograms());
        found.put("makesLocalSockets", makesLocalSockets());
        found.put(
                "environment",
                String.join(" ", System.getenv().keySet().stream().sorted().toList()));
        found.put("processes", String.join(" ", processes()));
        found.put(
                "sees",
                closed.stream().filter(path -> Files.exists(Path.of(path))).toList());
        return found;
    }

    private static Map<String, String> status() throws IOException {
        Map<String, String> status = new TreeMap<>();
        for (String line : Files.readAllLines(PROC.resolve("self/status"))) {
            String[] words = line.split(":", 2);
            status.put(words[0], words.length > 1 ? words[1].strip().replace('\t', ' ') : "");
        }
        return status;
    }

    /** With a program that is certainly here. */
    private static boolean startsPrograms() {
        try {
            new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-version")
                    .start()
                    .destroyForcibly();
            return true;
        } catch (IOException refused) {
            return false;
        }
    }

    private static boolean makesLocalSockets() {
        try (SocketChannel unused = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return unused.isOpen();
        } catch (IOException | UnsupportedOperationException refused) {
            return false;
        }
    }

    private static List<String> processes() throws IOException {
        try (Stream<Path> all = Files.list(PROC)) {
            return all.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> name.matches("\\d+"))
                    .sorted()
                    .toList();
        }
    }
}
