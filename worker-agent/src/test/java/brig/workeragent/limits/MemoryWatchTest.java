package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class MemoryWatchTest {
    private static final long MIB = 1 << 20;
    /** A process that keeps 30 MiB itself, and a child that does. */
    private static final String TWO_HOGS = "fork; $n = 31457280; $x = 'x' x $n; $| = 1; print \"full\\n\"; <STDIN>";

    /** It and its child have filled their memory. */
    private static Process startHogs() throws IOException {
        Process hogs = new ProcessBuilder("perl", "-e", TWO_HOGS).start();
        BufferedReader said = hogs.inputReader();
        assertEquals("full", said.readLine());
        assertEquals("full", said.readLine());
        return hogs;
    }

    private static List<ProcessTable.Entry> treeOf(long root) throws IOException {
        return new ProcessReader(Path.of("/proc")).read(Set.of(root), 0).tree(root);
    }

    /** Without what other processes put into the host's folders in memory meanwhile. */
    private static long bytesOf(long root) throws IOException {
        return WallMemory.ofProcesses(treeOf(root));
    }

    private static void end(Process hogs) throws InterruptedException {
        hogs.descendants().forEach(ProcessHandle::destroyForcibly);
        hogs.destroyForcibly().waitFor();
    }

    @Test
    void shouldAddUpAProcessAndAllBelowIt() throws Exception {
        Process hogs = startHogs();
        try {
            long both = bytesOf(hogs.pid());
            long child = bytesOf(hogs.descendants().findFirst().orElseThrow().pid());
            long parent = both - child;
            assertTrue(both > 60 * MIB && parent > 30 * MIB && parent < 50 * MIB, both + " bytes, the child " + child);
        } finally {
            end(hogs);
        }
        assertEquals(List.of(), treeOf(hogs.pid()));
    }

    @Test
    void shouldKillWhenTogetherTheyHaveTooMuch() throws Exception {
        Process hogs = startHogs();
        RlimitsOnly backend = new RlimitsOnly();
        try (LimitsLease lease = backend.acquire("one");
                LimitsLease larger = backend.acquire("two")) {
            // More than one of them has; the host's folders in memory, which count too, may change meanwhile.
            lease.limit(limits(50 * MIB));
            larger.limit(limits(64 * 1024 * MIB));
            CountDownLatch killed = new CountDownLatch(1);
            larger.handleRunning(hogs.pid(), () -> hogs.destroyForcibly());
            lease.handleRunning(hogs.pid(), killed::countDown);
            assertTrue(killed.await(20, TimeUnit.SECONDS));
            assertTrue(lease.oomKilled());
            assertFalse(larger.oomKilled());
            assertTrue(hogs.isAlive());
        } finally {
            end(hogs);
            backend.close();
        }
    }

    private static ResourceLimits limits(long memoryBytesMax) {
        return new ResourceLimits(memoryBytesMax, 40, 100, 1L << 30, 256);
    }
}
