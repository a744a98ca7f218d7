package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tests that {@code clients/opencode} brings, under the host's Node. */
@Timeout(120)
@Tag("slow")
class OpenCodePluginOwnTest {
    private static final Path TESTS = Path.of(System.getProperty("brig.clients", ""), "opencode/test");
    private static final Path NODE = Path.of("/usr/bin/node");
    /** A suite that finds fewer tests than these has lost some. */
    private static final int TESTS_MIN = 40;

    @Test
    void shouldPass(@TempDir Path folder) throws IOException {
        if (!Files.isExecutable(NODE)) {
            System.err.println("SKIPPED: the tests of clients/opencode, for there is no " + NODE);
        }
        assumeTrue(Files.isExecutable(NODE));
        List<String> command =
                new ArrayList<>(List.of(NODE.toString(), "--test", "--test-timeout=30000", "--test-reporter=tap"));
        try (Stream<Path> files = Files.list(TESTS)) {
            files.map(Path::toString)
                    .filter(file -> file.endsWith(".test.js"))
                    .sorted()
                    .forEach(command::add);
        }
        Run run = Run.of(command, "", folder);
        assertEquals(0, run.exitCode(), run::out);
        long passed = run.out().lines().filter(line -> line.startsWith("ok ")).count();
        assertTrue(passed >= TESTS_MIN, run::out);
    }
}
