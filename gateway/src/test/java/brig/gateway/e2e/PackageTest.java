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

/** The Debian package on a copy of this host: installed, started as its units say, at work, removed with nothing left. */
@Timeout(60)
class PackageTest {
    private static final Path SCRIPT = Path.of(System.getProperty("brig.tests", "gateway/src/test"), "sh/package.sh");
    private static final int LACKING = 77;

    @TempDir
    Path folder;

    @Test
    void shouldInstallRunAndLeaveNothingBehind() throws IOException {
        Run run = Run.of(List.of("env", "TMPDIR=" + folder, SCRIPT.toAbsolutePath().toString(),
                System.getProperty("brig.deb", "none")), "", folder);
        if (run.exitCode() == LACKING) {
            System.out.println("PackageTest is skipped: " + run.err().strip());
            abort(run.err().strip());
        }
        assertEquals(0, run.exitCode(), () -> run.out() + run.err());
        assertTrue(run.out().endsWith("ok: removed and purged, nothing is left\n"), run::out);
    }
}
