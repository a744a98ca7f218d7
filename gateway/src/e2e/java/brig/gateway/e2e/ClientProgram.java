package brig.gateway.e2e;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The clients of {@code clients}, each as a program that works off cases. */
enum ClientProgram {
    NODE("/usr/bin/node", false, "node/test/conformance.mjs"),
    PYTHON("/usr/bin/python3", true, "python/tests/conformance.py", "sync"),
    PYTHON_ASYNC("/usr/bin/python3", true, "python/tests/conformance.py", "async");

    private final Path interpreter;
    /** Whether it also comes over HTTP. */
    private final boolean speaksHttp;

    private final String program;
    private final List<String> arguments;

    ClientProgram(String interpreter, boolean speaksHttp, String program, String... arguments) {
        this.interpreter = Path.of(interpreter);
        this.speaksHttp = speaksHttp;
        this.program = program;
        this.arguments = List.of(arguments);
    }

    /** How it is started; the test is skipped, and says so, where its interpreter is missing or too old. */
    List<String> require(Path clients, Path folder) throws IOException {
        boolean there = Files.isExecutable(interpreter)
                && Run.of(List.of(interpreter.toString(), "--version"), "", folder)
                        .out()
                        .matches("(?s)(v(2[0-9]|[3-9][0-9])\\.|Python 3\\.(9|[1-9][0-9])\\.).*");
        if (!there) {
            System.err.println(
                    "SKIPPED: " + this + " as a client is not tested, for " + interpreter + " is missing or too old");
        }
        assumeTrue(there);
        List<String> command = new ArrayList<>(List.of(
                "env",
                "PYTHONDONTWRITEBYTECODE=1",
                interpreter.toString(),
                clients.resolve(program).toString()));
        command.addAll(arguments);
        return command;
    }

    /** The ways to a product that it knows. */
    List<Map<String, Object>> places(Product product) throws IOException {
        Map<String, Object> unix = Map.of("where", product.spawner().toString());
        return speaksHttp
                ? List.of(unix, Map.of("where", product.url(), "token", product.adminToken()))
                : List.of(unix);
    }
}
