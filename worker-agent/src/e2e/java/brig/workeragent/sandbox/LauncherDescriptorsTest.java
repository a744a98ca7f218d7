package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.limits.RlimitsOnly;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;

/** What workers that have run leave open. It counts all that this process has open. */
@Isolated
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LauncherDescriptorsTest {
    private final WallFixture wall = new WallFixture(new RlimitsOnly());

    @AfterEach
    void close() {
        wall.close();
    }

    @Test
    void shouldHoldNoMoreDescriptorsWhenManyWorkersHaveRun() throws IOException {
        wall.run("true");
        awaitSpares();
        long own = descriptors(ProcessHandle.current().pid());
        long launchers = descriptors(wall.launcher.launcherPid().orElseThrow());
        for (int i = 0; i < 100; i++) wall.run("true");
        // What the last ones held goes when the launcher has seen their end: on a busy machine behind the answer.
        awaitSpares();
        while (descriptors(wall.launcher.launcherPid().orElseThrow()) > launchers) {
            LockSupport.parkNanos(2_000_000);
        }
        assertTrue(descriptors(ProcessHandle.current().pid()) <= own + 2);
    }

    /** The launcher makes walls in advance, which have descriptors too. */
    private void awaitSpares() {
        while (wall.launcher.sparesKept() < Launcher.SPARES) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static long descriptors(long pid) throws IOException {
        try (var entries = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return entries.count();
        }
    }
}
