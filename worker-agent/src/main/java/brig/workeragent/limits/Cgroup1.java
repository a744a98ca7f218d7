package brig.workeragent.limits;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/** cgroup v1: a group for each worker in the memory, the pids and the cpu hierarchy. Needs write access to them. */
public final class Cgroup1 implements LimitsBackend {

    private static final int CPU_PERIOD_US = 100_000;
    /**
     * TCP buffers are the only memory that is counted apart. At their limit a sender blocks. Only a kernel without
     * networking or with {@code cgroup.memory=nosocket} lacks the file or ignores it.
     */
    private static final String TCP_BUFFERS = "memory.kmem.tcp.limit_in_bytes";

    private final Path memory;
    private final Path pids;
    private final Path cpu;
    private final boolean limitsTcp;
    private final WorkerGroups groups;

    private Cgroup1(Path memory, Path pids, Path cpu) {
        this.memory = memory;
        this.pids = pids;
        this.cpu = cpu;
        this.limitsTcp = Files.exists(memory.resolve(TCP_BUFFERS));
        // Controllers may share a hierarchy, with one folder per worker.
        this.groups =
                new WorkerGroups(List.copyOf(new LinkedHashSet<>(List.of(memory, pids, cpu))), GroupFolders.OF_KERNEL);
    }

    static Cgroup1 open(CgroupMounts mounts) throws LimitsUnavailableException {
        var backend = new Cgroup1(mounted(mounts, "memory"), mounted(mounts, "pids"), mounted(mounts, "cpu"));
        backend.groups.open();
        return backend;
    }

    private static Path mounted(CgroupMounts mounts, String controller) throws LimitsUnavailableException {
        Path folder = mounts.version1().get(controller);
        if (folder == null) {
            throw new LimitsUnavailableException("controller " + controller + " is not mounted");
        }
        return folder;
    }

    @Override
    public String level() {
        return "cgroup1";
    }

    @Override
    public String place() {
        return "groups in " + memory;
    }

    @Override
    public List<String> gaps() {
        return limitsTcp
                ? List.of()
                : List.of("buffers of TCP do not count as memory: this kernel has no " + TCP_BUFFERS);
    }

    @Override
    public LimitsLease acquire(String name) throws LimitsUnavailableException {
        return groups.acquire(name, this::settings, "memory.oom_control");
    }

    private Map<Path, Map<String, String>> settings(ResourceLimits limits) {
        var settings = new HashMap<Path, Map<String, String>>();
        Map<String, String> ofMemory = settings.computeIfAbsent(memory, _ -> new LinkedHashMap<>());
        ofMemory.put("memory.limit_in_bytes", Long.toString(limits.memoryBytesMax()));
        // Otherwise the worker would swap. The file exists only if the kernel accounts for swap; the order matters.
        if (Files.exists(memory.resolve("memory.memsw.limit_in_bytes"))) {
            ofMemory.put("memory.memsw.limit_in_bytes", Long.toString(limits.memoryBytesMax()));
        }
        if (limitsTcp) ofMemory.put(TCP_BUFFERS, Long.toString(limits.memoryBytesMax()));
        settings.computeIfAbsent(pids, _ -> new LinkedHashMap<>())
                .put("pids.max", Integer.toString(limits.pidsMax() + WALL_PROCESSES));
        Map<String, String> ofCpu = settings.computeIfAbsent(cpu, _ -> new LinkedHashMap<>());
        ofCpu.put("cpu.cfs_period_us", Integer.toString(CPU_PERIOD_US));
        ofCpu.put("cpu.cfs_quota_us", Long.toString((long) CPU_PERIOD_US * limits.cpuPercentMax() / 100));
        return settings;
    }

    @Override
    public void close() {
        groups.close();
    }
}
