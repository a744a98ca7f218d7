package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What is written where, on a folder that stands in for the kernel's. */
@Timeout(30)
class Cgroup2Test {
    private static final ResourceLimits LIMITS = new ResourceLimits(64L << 20, 40, 25, 1L << 30, 256);
    private static final long OWN_PID = ProcessHandle.current().pid();

    @TempDir
    Path root;

    private Cgroup2 open(FakeGroups groups) throws LimitsUnavailableException {
        return Cgroup2.open(groups.mounts(), groups);
    }

    private static LimitsLease acquire(Cgroup2 backend) throws LimitsUnavailableException {
        LimitsLease lease = backend.acquire("one");
        lease.limit(LIMITS);
        return lease;
    }

    private static Path group(LimitsLease lease) {
        return lease.procsFiles().getFirst().getParent();
    }

    private static String read(LimitsLease lease, String file) throws IOException {
        return Files.readString(group(lease).resolve(file)).trim();
    }

    @Test
    void shouldStandInALeafBeforeItHandsControllersDown() throws Exception {
        FakeGroups groups = new FakeGroups(root, "cpuset cpu io memory pids");
        Cgroup2 backend = open(groups);
        assertEquals(Long.toString(OWN_PID), groups.read("worker-agent/cgroup.procs"));
        assertEquals("+memory +pids +cpu", groups.read("cgroup.subtree_control"));
        assertEquals(List.of("worker-agent"), groups.groups());
        assertEquals("cgroup2", backend.level());
        assertEquals(List.of(), backend.gaps());
    }

    @Test
    void shouldWriteEachLimitInItsUnit() throws Exception {
        LimitsLease lease = acquire(open(new FakeGroups(root, "cpu memory pids")));
        assertEquals("67108864", read(lease, "memory.max"));
        assertEquals("0", read(lease, "memory.swap.max"));
        assertEquals("42", read(lease, "pids.max"));
        assertEquals("25000 100000", read(lease, "cpu.max"));
        assertEquals("0", read(lease, "memory.oom.group"));
        assertEquals("brig-" + OWN_PID + "-one", String.valueOf(group(lease).getFileName()));
        assertTrue(lease.limitsMemory());
    }

    @Test
    void shouldLeaveSwapAloneWhenTheKernelHasNone() throws Exception {
        FakeGroups groups = new FakeGroups(root, "cpu memory pids");
        groups.swap = false;
        LimitsLease lease = acquire(open(groups));
        assertFalse(Files.exists(group(lease).resolve("memory.swap.max")));
    }

    @Test
    void shouldSayThatCpuIsNotHeldWhenItIsNotDelegated() throws Exception {
        FakeGroups groups = new FakeGroups(root, "memory pids");
        Cgroup2 backend = open(groups);
        assertEquals("max 100000", read(acquire(backend), "cpu.max"));
        assertEquals("+memory +pids", groups.read("cgroup.subtree_control"));
        assertTrue(
                backend.gaps().getFirst().startsWith("CPU is not limited"),
                backend.gaps().toString());
    }

    @Test
    void shouldTellAKillForMemoryFromNone() throws Exception {
        LimitsLease lease = acquire(open(new FakeGroups(root, "cpu memory pids")));
        assertFalse(lease.oomKilled());
        // The limit was reached, and the kernel could reclaim enough.
        Files.writeString(group(lease).resolve("memory.events"), "max 9\noom 1\noom_kill 0\noom_group_kill 0\n");
        assertFalse(lease.oomKilled());
        Files.writeString(group(lease).resolve("memory.events"), "max 9\noom 2\noom_kill 1\noom_group_kill 0\n");
        assertTrue(lease.oomKilled());
    }

    @Test
    void shouldBeRefusedWhenMemoryIsNotDelegated() throws Exception {
        FakeGroups groups = new FakeGroups(root, "hugetlb");
        String why = assertThrows(LimitsUnavailableException.class, () -> open(groups))
                .getMessage();
        assertTrue(why.endsWith("has no memory and pids controllers, only [hugetlb]"), why);
        assertFalse(Files.exists(groups.own.resolve("worker-agent")));
        assertThrows(LimitsUnavailableException.class, () -> Cgroup2.open(new CgroupMounts(Map.of(), null), groups));
    }

    @Test
    void shouldGoBackWhenOthersStandInItsGroup() throws Exception {
        // Scenario: a login's group, where a shell stands too; a group with a process hands no controller down.
        FakeGroups groups = new FakeGroups(root, "cpu memory pids");
        groups.refuseControllers();
        Files.writeString(groups.own.resolve("cgroup.procs"), "");
        String why = assertThrows(LimitsUnavailableException.class, () -> open(groups))
                .getMessage();
        assertTrue(why.endsWith("start the worker-agent in one of its own"), why);
        assertEquals(Long.toString(OWN_PID), groups.read("cgroup.procs"));
        assertFalse(Files.exists(groups.own.resolve("worker-agent")));
    }

    @Test
    void shouldUseTheGroupAboveWhenItStandsInItsLeafAlready() throws Exception {
        FakeGroups groups = new FakeGroups(root, "cpu memory pids");
        open(groups);
        Cgroup2 again = Cgroup2.open(new CgroupMounts(Map.of(), groups.own.resolve("worker-agent")), groups);
        assertEquals(groups.own, group(acquire(again)).getParent());
    }

    @Test
    void shouldRefuseTheWorkerWhenALimitCannotBeWritten() throws Exception {
        FakeGroups groups = new FakeGroups(root, "cpu memory pids");
        Cgroup2 backend = Cgroup2.open(groups.mounts(), new GroupFolders() {
            @Override
            public void make(Path folder) throws IOException {
                groups.make(folder);
                if (folder.endsWith("brig-" + OWN_PID + "-one")) Files.delete(folder.resolve("cpu.max"));
            }

            @Override
            public void remove(Path folder) throws IOException {
                groups.remove(folder);
            }
        });
        LimitsLease lease = backend.acquire("one");
        String why = assertThrows(LimitsUnavailableException.class, () -> lease.limit(LIMITS))
                .getMessage();
        lease.close();
        assertTrue(why.contains("cannot write 25000 100000 to"), why);
        assertEquals(List.of("worker-agent"), groups.groups());
    }

    @Test
    void shouldRemoveAGroupAtTheLatestWhenItIsClosed() throws Exception {
        // Scenario: a killed process is still in its group when the lease is given back.
        FakeGroups groups = new FakeGroups(root, "cpu memory pids");
        Cgroup2 backend = open(groups);
        LimitsLease lease = acquire(backend);
        Process late = new ProcessBuilder("sleep", "60").start();
        Files.writeString(group(lease).resolve("cgroup.procs"), Long.toString(late.pid()));
        lease.close();
        assertTrue(Files.exists(group(lease)));
        late.destroyForcibly();
        backend.close();
        assertFalse(Files.exists(group(lease)));
    }
}
