package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The Debian package on a copy of this host: installed, started by systemd, at work, upgraded, removed with nothing left. */
@Timeout(PackageTest.SECONDS_MAX)
class PackageTest {
    private static final Path SCRIPT = Path.of(System.getProperty("brig.tests", "gateway/src/e2e"), "sh/package.sh");
    private static final int LACKING = 77;
    /** It takes half a minute where nobody else works. */
    static final long SECONDS_MAX = 240;

    @TempDir
    Path folder;

    @Test
    void shouldInstallRunAndLeaveNothingBehind() throws IOException {
        Run run = Run.of(
                List.of(
                        "env",
                        "TMPDIR=" + folder,
                        SCRIPT.toAbsolutePath().toString(),
                        System.getProperty("brig.deb", "none")),
                "",
                folder,
                SECONDS_MAX);
        if (run.exitCode() == LACKING) {
            System.err.println(
                    "SKIPPED: the package is not tested: " + run.err().strip());
            abort(run.err().strip());
        }
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertTrue(run.out().endsWith("ok: removed and purged, nothing is left\n"), run::out);
    }
}
