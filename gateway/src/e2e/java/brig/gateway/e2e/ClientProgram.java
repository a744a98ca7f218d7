package brig.gateway.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** The clients of {@code clients}, each as a program that works off cases. */
enum ClientProgram {
    NODE("/usr/bin/node", "clients/node/test/conformance.mjs"),
    PYTHON("/usr/bin/python3", "clients/python/tests/conformance.py", "sync"),
    PYTHON_ASYNC("/usr/bin/python3", "clients/python/tests/conformance.py", "async"),
    JAVA(java(), "-cp", classes(), "brig.client.ConformanceProgram", "sync"),
    JAVA_ASYNC(java(), "-cp", classes(), "brig.client.ConformanceProgram", "async");

    /** What the interpreters say of versions for which the clients are. */
    private static final Pattern NEW_ENOUGH =
            Pattern.compile("v[2-9]\\d\\.|Python 3\\.(9|[1-9]\\d)\\.|openjdk (1[7-9]|[2-9]\\d)\\b");

    private final Path interpreter;
    private final List<String> arguments;

    ClientProgram(String interpreter, String... arguments) {
        this.interpreter = Path.of(interpreter);
        this.arguments = List.of(arguments);
    }

    /** The oldest Java that is there; the client needs no newer one than 17. */
    private static String java() {
        return System.getProperty("brig.client.java", System.getProperty("java.home")) + "/bin/java";
    }

    /** The class path of the client for the JVM and of its tests. */
    static String classes() {
        return System.getProperty("brig.client.classes", "");
    }

    /** How it is started; the test is skipped, and says so, where its interpreter is missing or too old. */
    List<String> require(Path clients, Path folder) throws IOException {
        boolean there = Files.isExecutable(interpreter)
                && NEW_ENOUGH
                        .matcher(Run.of(List.of(interpreter.toString(), "--version"), "", folder)
                                .out())
                        .lookingAt();
        if (!there) {
            System.err.println(
                    "SKIPPED: " + this + " as a client is not tested, for " + interpreter + " is missing or too old");
        }
        assumeTrue(there);
        List<String> command = new ArrayList<>(List.of("env", "PYTHONDONTWRITEBYTECODE=1", interpreter.toString()));
        for (String argument : arguments) {
            command.add(
                    argument.startsWith("clients/")
                            ? clients.resolveSibling(argument).toString()
                            : argument);
        }
        return command;
    }

    /** The ways to a product. */
    static List<Map<String, String>> places(Product product) throws IOException {
        return List.of(
                Map.of("where", product.spawner().toString()),
                Map.of("where", product.url(), "token", product.adminToken()));
    }
}
