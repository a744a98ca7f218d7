package brig.workeragent.sandbox;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.workeragent.limits.LimitsLease;
import brig.workeragent.limits.RlimitsOnly;
import brig.workeragent.limits.TestedLevel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is left when walls and launchers have ended, counted in all that this process has: hence alone. */
@Isolated
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LeftoversTest {
    @Test
    void shouldHoldNoMoreDescriptorsWhenManyWorkersHaveRun() throws IOException {
        try (var wall = new WallFixture(new RlimitsOnly())) {
            wall.run("true");
            awaitSpares(wall);
            long own = descriptors(ProcessHandle.current().pid());
            long launchers = descriptors(wall.launcher.launcherPid().orElseThrow());
            for (int i = 0; i < 100; i++) wall.run("true");
            // What the last ones held goes when the launcher has seen their end: on a busy machine behind the answer.
            awaitSpares(wall);
            while (descriptors(wall.launcher.launcherPid().orElseThrow()) > launchers) {
                LockSupport.parkNanos(2_000_000);
            }
            assertTrue(descriptors(ProcessHandle.current().pid()) <= own + 2);
        }
    }

    private static long descriptors(long pid) throws IOException {
        try (var entries = Files.list(Path.of("/proc/" + pid + "/fd"))) {
            return entries.count();
        }
    }

    @Test
    void shouldLeaveNoSocketOpenWhenAWallWithANetworkEnds() throws IOException {
        try (var wall = new WallFixture(new RlimitsOnly())) {
            WalledNetworkTest.end(WalledNetworkTest.bash(wall, "true"));
            long before = socketsOpen();
            for (int i = 0; i < 3; i++) WalledNetworkTest.end(WalledNetworkTest.bash(wall, "true"));
            assertEquals(before, socketsOpen());
        }
    }

    /** The number of descriptors of this process that are sockets. */
    private static long socketsOpen() throws IOException {
        try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
            return open.filter(descriptor -> {
                        try {
                            return Files.readSymbolicLink(descriptor).toString().startsWith("socket:");
                        } catch (IOException gone) {
                            return false;
                        }
                    })
                    .count();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"cgroup2", "cgroup1"})
    void shouldLeaveNoGroupWhenTheLauncherIsClosed(String level) throws Exception {
        // Scenario: the launcher keeps processes in groups of their own for launches that never come.
        var backend = TestedLevel.assume(level);
        LimitsLease probe = backend.acquire("base");
        Path base = probe.procsFiles().getFirst().getParent().getParent();
        probe.close();
        Set<Path> before = ownGroups(base);
        try (var own = new WallFixture(backend)) {
            own.run("true");
            awaitSpares(own);
            assertTrue(ownGroups(base).size() > before.size());
        }
        assertEquals(before, ownGroups(base));
    }

    private static Set<Path> ownGroups(Path base) throws IOException {
        try (var groups = Files.list(base)) {
            return groups.filter(group -> group.getFileName()
                            .toString()
                            .startsWith("brig-" + ProcessHandle.current().pid() + "-"))
                    .collect(Collectors.toSet());
        }
    }

    /** The launcher makes walls in advance, which have descriptors and groups too. Each is kept when it is asked for. */
    private static void awaitSpares(WallFixture of) {
        while (of.launcher.sparesKept() < Launcher.SPARES || children(of) < Launcher.SPARES) {
            LockSupport.parkNanos(2_000_000);
        }
    }

    private static long children(WallFixture of) {
        return of.launcher
                .launcherPid()
                .flatMap(ProcessHandle::of)
                .map(ProcessHandle::children)
                .orElseGet(Stream::empty)
                .count();
    }
}
