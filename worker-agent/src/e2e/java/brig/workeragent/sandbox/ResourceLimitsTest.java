package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.limits.LimitsBackend;
import brig.workeragent.limits.LimitsLease;
import brig.workeragent.limits.ResourceLimits;
import brig.workeragent.limits.TestedLevel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ValueSource;

/** Limits as the kernel of this host enforces them on groups, at each level that it has. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@ParameterizedClass
@ValueSource(strings = {"cgroup2", "cgroup1"})
class ResourceLimitsTest {

    private static final ResourceLimits SMALL = new ResourceLimits(64L << 20, 64, 100, 256L << 20, 256);

    private final String level;
    private LimitsBackend backend;
    private WallFixture wall;

    ResourceLimitsTest(String level) {
        this.level = level;
    }

    @BeforeEach
    void open() {
        backend = TestedLevel.assume(level);
        wall = new WallFixture(backend);
    }

    @AfterEach
    void close() {
        if (wall != null) wall.close();
    }

    @Test
    void shouldKillHogAndSayWhyWhenMemoryRunsOut() {
        var result = wall.run(wall.request(
                SMALL, false, "/bin/sh", "-c", "x=$(head -c 200000000 /dev/zero | tr '\\0' x); echo ${#x}"));
        assertTrue(result.exit().oomKilled());
        assertEquals("SIGKILL", result.exit().signal());
    }

    @Test
    void shouldGoOnWhenMemoryRunsOutForAProcessThatThePayloadStarted() {
        var result = wall.run(wall.request(
                SMALL, false, "/bin/bash", "-c", "python3 -c 'bytearray(300 << 20)'; echo it ended with $?"));
        assertEquals("it ended with 137\n", result.stdout());
        assertEquals(0, result.exit().code());
        assertTrue(result.exit().oomKilled());
    }

    @Test
    void shouldHoldForksByTheGroupAlone() throws Exception {
        // Scenario: a process without a wall, hence without the limit that brig-init sets inside.
        ResourceLimits ten = new ResourceLimits(64L << 20, 10, 100, 256L << 20, 256);
        try (LimitsLease lease = backend.acquire("forks")) {
            lease.limit(ten);
            String join = lease.procsFiles().stream()
                    .map(file -> "echo $$ > " + file + "; ")
                    .collect(Collectors.joining());
            Process bomb = new ProcessBuilder(
                            "/bin/sh",
                            "-c",
                            join + "i=0; while [ $i -lt 40 ]; do "
                                    + "sleep 60 >/dev/null 2>&1 & i=$((i+1)); echo forked; done")
                    .start();
            long forked = bomb.inputReader()
                    .lines()
                    .filter(line -> line.equals("forked"))
                    .count();
            for (String pid : Files.readAllLines(lease.procsFiles().getFirst())) {
                ProcessHandle.of(Long.parseLong(pid)).ifPresent(ProcessHandle::destroyForcibly);
            }
            // It is one of those that the group counts, and it could not start the last.
            assertEquals(ten.pidsMax() + LimitsBackend.WALL_PROCESSES - 1, forked);
        }
    }

    @Test
    void shouldCountFilesInTmpAsMemory() {
        assertTrue(wall.run(wall.request(SMALL, false, "/bin/sh", "-c", "head -c 150000000 /dev/zero > /tmp/big"))
                .exit()
                .oomKilled());
    }

    @Test
    void shouldNotBlameMemoryWhenPayloadFailsByItself() {
        assertFalse(wall.run(wall.request(SMALL, false, "/bin/sh", "-c", "kill -9 $$"))
                .exit()
                .oomKilled());
    }

    @Test
    void shouldRemoveGroupsWhenReleased() throws Exception {
        LimitsLease lease = backend.acquire("release");
        for (Path file : lease.procsFiles()) assertTrue(Files.exists(file));
        lease.close();
        lease.close();
        for (Path file : lease.procsFiles()) assertFalse(Files.exists(file.getParent()));
    }

    @Test
    void shouldSweepGroupsWhenTheirWorkerAgentIsGone() throws Exception {
        // Scenario: a predecessor with a pid that no process can have left a group; another, alive, owns one.
        LimitsLease lease = backend.acquire("sweep");
        Path base = lease.procsFiles().getFirst().getParent().getParent();
        lease.close();
        Path stale = Files.createDirectory(base.resolve("brig-99999999-old"));
        Path foreign = Files.createDirectory(base.resolve("brig-1-alive"));
        try {
            LimitsBackend.require(level);
            assertFalse(Files.exists(stale));
            assertTrue(Files.exists(foreign));
        } finally {
            Files.delete(foreign);
        }
    }

    @Test
    void shouldKillProcessInGroupOfAWorkerAgentThatIsGoneAndNoOther() throws Exception {
        // Scenario: one process in a group of a pid that no process can have, one in a group of a living pid.
        LimitsLease lease = backend.acquire("orphans");
        Path base = lease.procsFiles().getFirst().getParent().getParent();
        lease.close();
        Path stale = Files.createDirectory(base.resolve("brig-99999999-orphan"));
        Path foreign = Files.createDirectory(base.resolve("brig-1-stranger"));
        Process orphan = new ProcessBuilder("sleep", "60").start();
        Process stranger = new ProcessBuilder("sleep", "60").start();
        try {
            Files.writeString(stale.resolve("cgroup.procs"), Long.toString(orphan.pid()));
            Files.writeString(foreign.resolve("cgroup.procs"), Long.toString(stranger.pid()));
            LimitsBackend.require(level);
            assertFalse(orphan.isAlive());
            assertFalse(Files.exists(stale));
            assertTrue(stranger.isAlive());
        } finally {
            stranger.destroyForcibly().waitFor();
            orphan.destroyForcibly().waitFor();
            Files.delete(foreign);
        }
    }
}
