package brig.gateway.e2e;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Processes of this host, found by their arguments as the kernel has them. */
final class Processes {
    private Processes() {}

    /** Those that have all these arguments. */
    static List<ProcessHandle> with(String... arguments) {
        return ProcessHandle.allProcesses()
                .filter(process -> arguments(process).containsAll(List.of(arguments)))
                .toList();
    }

    /** Those that this one started, and so on, whose first argument begins so. */
    static List<ProcessHandle> below(ProcessHandle root, String beginning) {
        return root.descendants()
                .filter(process ->
                        arguments(process).stream().findFirst().orElse("").startsWith(beginning))
                .toList();
    }

    /** None of one that is gone, or was not reaped. */
    static List<String> arguments(ProcessHandle process) {
        try {
            String line = Files.readString(
                    Path.of("/proc", String.valueOf(process.pid()), "cmdline"), StandardCharsets.ISO_8859_1);
            return Arrays.asList(line.split("\0", -1));
        } catch (IOException gone) {
            return List.of();
        }
    }
}
