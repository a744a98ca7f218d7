package brig.egress.confinement;

import brig.protocol.record.CamelCase;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What brig-egress finds when it looks at itself: what the kernel says of it, and what it tries and is refused. What is null was
 * not measured.
 *
 * @param users real, effective, saved and file system uid
 * @param groups the same of groups
 * @param supplementary further groups
 * @param capabilities of five sets, in hexadecimal digits
 * @param noNewPrivileges 1 where no program that it starts gets more rights
 * @param seccomp 2 where system calls are filtered
 * @param startsPrograms whether it can
 * @param makesLocalSockets whether it can
 * @param environment names of variables
 * @param processes those that it sees
 * @param sees paths of those that are closed to it
 */
@CamelCase
public record SelfMeasurement(
        String users,
        String groups,
        String supplementary,
        String capabilities,
        String noNewPrivileges,
        String seccomp,
        @Nullable Boolean startsPrograms,
        @Nullable Boolean makesLocalSockets,
        String environment,
        String processes,
        @Nullable List<String> sees) {
    private static final Path PROC = Path.of("/proc");
    private static final List<String> SETS = List.of("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb");

    /**
     * Measures this process.
     *
     * @param closed paths of the host that must not be here
     */
    public static SelfMeasurement measure(List<String> closed) throws IOException {
        Map<String, String> status = status();
        return new SelfMeasurement(
                status.getOrDefault("Uid", ""),
                status.getOrDefault("Gid", ""),
                status.getOrDefault("Groups", ""),
                String.join(
                        " ",
                        SETS.stream().map(set -> status.getOrDefault(set, "?")).toList()),
                status.getOrDefault("NoNewPrivs", ""),
                status.getOrDefault("Seccomp", ""),
                canStartProgram(),
                canMakeLocalSocket(),
                String.join(" ", System.getenv().keySet().stream().sorted().toList()),
                String.join(" ", visibleProcesses()),
                closed.stream().filter(path -> Files.exists(Path.of(path))).toList());
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
    private static boolean canStartProgram() {
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

    private static boolean canMakeLocalSocket() {
        try (SocketChannel unused = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return unused.isOpen();
        } catch (IOException | UnsupportedOperationException refused) {
            return false;
        }
    }

    private static List<String> visibleProcesses() throws IOException {
        try (Stream<Path> all = Files.list(PROC)) {
            return all.map(path -> String.valueOf(path.getFileName()))
                    .filter(name -> name.matches("\\d+"))
                    .sorted()
                    .toList();
        }
    }
}
