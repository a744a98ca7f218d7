package brig.workeragent.limits;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * cgroup v2 below the worker-agent's own group, which must be delegated to it (systemd: {@code Delegate=yes}). A group
 * with children must not hold processes, so the worker-agent first moves itself into a leaf.
 *
 * <p>{@code memory.oom.group} stays 0: the kernel kills the largest process, not the whole worker. An agent survives
 * the death of a compiler that it started, and can report it. {@code memory.max} includes sockets.
 *
 * <p>Decision 0009.
 */
public final class Cgroup2 implements LimitsBackend {

    private static final int CPU_PERIOD_US = 100_000;
    private static final String OWN_LEAF = "worker-agent";

    private final Path base;
    private final boolean limitsCpu;
    private final WorkerGroups groups;

    private Cgroup2(Path base, boolean limitsCpu, GroupFolders folders) {
        this.base = base;
        this.limitsCpu = limitsCpu;
        this.groups = new WorkerGroups(List.of(base), folders);
    }

    static Cgroup2 open(CgroupMounts mounts, GroupFolders folders) throws LimitsUnavailableException {
        Path own = mounts.version2();
        if (own == null) throw new LimitsUnavailableException("the unified tree is not mounted");
        // After a restart in place this process may already be in its leaf.
        Path parent = own.getParent();
        Path base = own.endsWith(OWN_LEAF) && parent != null ? parent : own;
        List<String> controllers = controllers(base);
        if (!controllers.contains("memory") || !controllers.contains("pids")) {
            throw new LimitsUnavailableException(base + " has no memory and pids controllers, only " + controllers);
        }
        boolean limitsCpu = controllers.contains("cpu");
        moveToLeaf(base, folders);
        try {
            WorkerGroups.write(base.resolve("cgroup.subtree_control"), "+memory +pids" + (limitsCpu ? " +cpu" : ""));
        } catch (LimitsUnavailableException refused) {
            moveBack(base, folders);
            throw new LimitsUnavailableException(refused.getMessage()
                    + "; other processes stand in that group: start the worker-agent in one of its own");
        }
        var backend = new Cgroup2(base, limitsCpu, folders);
        backend.groups.open();
        return backend;
    }

    private static List<String> controllers(Path base) throws LimitsUnavailableException {
        try {
            return List.of(
                    Files.readString(base.resolve("cgroup.controllers")).trim().split(" ", -1));
        } catch (IOException unreadable) {
            throw new LimitsUnavailableException("cannot read the controllers of " + base);
        }
    }

    private static void moveToLeaf(Path base, GroupFolders folders) throws LimitsUnavailableException {
        Path leaf = base.resolve(OWN_LEAF);
        try {
            if (!Files.isDirectory(leaf)) folders.make(leaf);
        } catch (IOException refused) {
            throw new LimitsUnavailableException(base + " is not delegated to this user: " + refused.getMessage());
        }
        enter(leaf);
    }

    private static void enter(Path group) throws LimitsUnavailableException {
        WorkerGroups.write(
                group.resolve("cgroup.procs"),
                Long.toString(ProcessHandle.current().pid()));
    }

    /** If the level is refused, this process returns to its original group. */
    private static void moveBack(Path base, GroupFolders folders) throws LimitsUnavailableException {
        enter(base);
        try {
            folders.remove(base.resolve(OWN_LEAF));
        } catch (IOException others) {
            throw new LimitsUnavailableException("cannot remove " + base.resolve(OWN_LEAF) + ": " + others);
        }
    }

    @Override
    public String level() {
        return "cgroup2";
    }

    @Override
    public String place() {
        return "groups in " + base;
    }

    @Override
    public List<String> gaps() {
        return limitsCpu ? List.of() : List.of("CPU is not limited: the controller cpu is not delegated");
    }

    @Override
    public LimitsLease acquire(String name) throws LimitsUnavailableException {
        return groups.acquire(name, this::settings, "memory.events");
    }

    private Map<Path, Map<String, String>> settings(ResourceLimits limits) {
        var settings = new LinkedHashMap<String, String>();
        settings.put("memory.max", Long.toString(limits.memoryBytesMax()));
        // Otherwise the worker would swap. The file exists only if the kernel has swap.
        if (Files.exists(base.resolve(OWN_LEAF).resolve("memory.swap.max"))) {
            settings.put("memory.swap.max", "0");
        }
        settings.put("pids.max", Integer.toString(limits.pidsMax() + WALL_PROCESSES));
        if (limitsCpu) {
            long quotaUs = (long) CPU_PERIOD_US * limits.cpuPercentMax() / 100;
            settings.put("cpu.max", quotaUs + " " + CPU_PERIOD_US);
        }
        return Map.of(base, settings);
    }

    @Override
    public void close() {
        groups.close();
    }
}
