package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The tests that {@code clients/python} brings, under the host's Python. */
@Timeout(120)
class PythonClientTest {
    private static final Path CLIENT = Path.of(System.getProperty("brig.clients", ""), "python");
    /** A suite that finds fewer tests than these has lost some. */
    private static final int TESTS_MIN = 25;

    private static final Pattern COUNT = Pattern.compile("^Ran (\\d+) tests in .*\n\nOK$", Pattern.MULTILINE);

    @Test
    void shouldPassItsOwnTests(@TempDir Path folder) throws IOException {
        String python = ClientProgram.PYTHON.require(CLIENT.getParent(), folder).get(2);
        // Nothing is written beside the sources, and every warning is a failure.
        Run run = Run.of(
                List.of(
                        python,
                        "-B",
                        "-W",
                        "error",
                        "-m",
                        "unittest",
                        "discover",
                        "-s",
                        CLIENT.resolve("tests").toString()),
                "",
                folder);
        assertEquals(0, run.exitCode(), run::err);
        Matcher count = COUNT.matcher(run.err());
        assertTrue(count.find() && Integer.parseInt(count.group(1)) >= TESTS_MIN, run::err);
    }
}
