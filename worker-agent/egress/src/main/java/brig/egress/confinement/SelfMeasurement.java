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
 * What brig-egress measures of its own confinement: the kernel's data about the process, and attempts that must fail.
 * Null components were not measured.
 *
 * @param users real, effective, saved and file system uid
 * @param groups the same for groups
 * @param supplementary supplementary groups
 * @param capabilities the five capability sets, in hexadecimal
 * @param noNewPrivileges 1 if the programs that it starts cannot gain privileges
 * @param seccomp 2 if system calls are filtered
 * @param startsPrograms whether it can start programs
 * @param makesLocalSockets whether it can create Unix sockets
 * @param environment the names of its environment variables
 * @param processes the visible processes
 * @param sees the visible ones of the closed paths
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
     * @param closed paths of the host that must be invisible
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

    /** Tries a program that certainly exists. */
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
