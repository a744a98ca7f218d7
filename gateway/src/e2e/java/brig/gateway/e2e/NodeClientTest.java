package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code clients/node}: its own tests against the product, under each Node that it is for. */
@Timeout(120)
@Tag("slow")
class NodeClientTest {
    private static final Path CLIENT = Path.of(System.getProperty("brig.clients", ""), "node");
    /** A suite that finds fewer tests than these has lost some. */
    private static final int TESTS_MIN = 100;

    private static final Pattern COUNT = Pattern.compile("^# (\\w+) (\\d+)$", Pattern.MULTILINE);

    enum Node {
        /** That of the host. */
        NODE_20("v20.", Path.of("/usr/bin/node")),
        NODE_22("v22.", Path.of(System.getProperty("brig.npm", ""), "node/bin/node"));

        private final String version;
        private final Path program;

        Node(String version, Path program) {
            this.version = version;
            this.program = program;
        }

        /** Where it is; the test is skipped, and says so, where it is not. */
        String require(Path folder) throws IOException {
            boolean there = Files.isExecutable(program)
                    && Run.of(List.of(program.toString(), "--version"), "", folder)
                            .out()
                            .startsWith(version);
            if (!there) {
                System.err.println("SKIPPED: clients/node is not tested under Node " + version + "x, for " + program
                        + " is not one");
            }
            assumeTrue(there);
            return program.toString();
        }
    }

    @ParameterizedTest
    @EnumSource
    void shouldPassItsOwnTestsAgainstTheProduct(Node node) throws IOException {
        try (Product product = Product.start();
                Stream<Path> files = Files.list(CLIENT.resolve("test"))) {
            String program = node.require(product.folder());
            List<String> command = new ArrayList<>(List.of(
                    "env",
                    "BRIG_SPAWNER_SOCKET=" + product.spawner(),
                    "BRIG_WORKSPACE_BASE=" + product.workspaces(),
                    program,
                    "--test",
                    "--test-reporter=tap"));
            files.map(Path::toString)
                    .filter(file -> file.endsWith(".test.js"))
                    .sorted()
                    .forEach(command::add);
            Run run = Run.of(command, "", product.folder());
            assertEquals(0, run.exitCode(), run.out() + run.err());
            assertTrue(count(run, "pass") >= TESTS_MIN, run::out);
            assertEquals(count(run, "tests"), count(run, "pass"), run::out);
            assertEquals(0, count(run, "skipped") + count(run, "todo"), run::out);
        }
    }

    private static int count(Run run, String what) {
        return COUNT.matcher(run.out())
                .results()
                .filter(line -> line.group(1).equals(what))
                .mapToInt(line -> Integer.parseInt(line.group(2)))
                .findFirst()
                .orElseThrow(() -> new AssertionError(run.out()));
    }

    @ParameterizedTest
    @EnumSource
    void shouldMissNothingWhenTheGatewayIsKilledAndComesBack(Node node) throws IOException {
        // Scenario: the client reads, the gateway is killed, the worker goes on, another gateway takes it up.
        try (Product product = Product.start()) {
            String program = node.require(product.folder());
            Process client = new ProcessBuilder(
                            program,
                            CLIENT.resolve("test/count.mjs").toString(),
                            product.spawner().toString())
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
            try (BufferedReader out =
                    new BufferedReader(new InputStreamReader(client.getInputStream(), StandardCharsets.UTF_8))) {
                assertEquals("1", out.readLine());
                product.kill();
                product.serve();
                for (int number = 2; number <= 60; number++) {
                    assertEquals(Integer.toString(number), out.readLine());
                }
                assertEquals("terminated", out.readLine());
            } finally {
                client.destroyForcibly();
            }
        }
    }
}
