package brig.workeragent.limits;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SequencedMap;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The folders {@code brig-<pid>-<name>} below one or more cgroup folders. The pid is that of this worker-agent, so that
 * two on one host do not treat each other's as stale. Shared by both cgroup versions, which differ in files.
 */
final class WorkerGroups {

    private static final Logger LOG = LoggerFactory.getLogger(WorkerGroups.class);
    private static final String PREFIX = "brig-";
    /** Folders that this process created and has not removed. */
    private static final Set<Path> MADE = ConcurrentHashMap.newKeySet();

    private static final AtomicLong PROBES = new AtomicLong();
    private static final int KILL_WAIT_MS = 2000;
    /** An orphan may fork while its group is being read. */
    private static final int KILL_ROUNDS = 10;
    /** A killed process leaves its group some time after its parent learned of its end. */
    private static final int REMOVE_WAIT_MS = 2000;

    private static final int REMOVE_PAUSE_MS = 20;

    private final List<Path> bases;
    private final GroupFolders groupFolders;
    private final long ownPid;
    /** Folders whose removal failed because a process was still exiting; retried later. */
    private final Set<Path> leftovers = ConcurrentHashMap.newKeySet();

    WorkerGroups(List<Path> bases, GroupFolders groupFolders) {
        this.bases = bases;
        this.groupFolders = groupFolders;
        this.ownPid = ProcessHandle.current().pid();
    }

    /** Tests that groups can be created, and removes leftovers of worker-agents that are gone. */
    void open() throws LimitsUnavailableException {
        for (Path base : bases) {
            removeStale(base);
            remove(create(base, "probe" + PROBES.incrementAndGet()));
        }
    }

    /** Limits as file name to value, by base; a missing file fails the worker. */
    interface Settings {
        Map<Path, Map<String, String>> of(ResourceLimits limits);
    }

    /**
     * Creates one folder below each base.
     *
     * @param oomFile name of the file below the first base whose line {@code oom_kill N} counts
     */
    LimitsLease acquire(String name, Settings settings, String oomFile) throws LimitsUnavailableException {
        leftovers.forEach(this::remove);
        var folders = new LinkedHashMap<Path, Path>();
        try {
            for (Path base : bases) folders.put(base, create(base, name));
        } catch (LimitsUnavailableException failed) {
            folders.values().forEach(this::remove);
            throw failed;
        }
        return new GroupLease(folders, settings, oomFile);
    }

    static void write(Path file, String value) throws LimitsUnavailableException {
        try {
            // Without CREATE: only files that the kernel provided are written.
            Files.writeString(file, value, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING);
        } catch (IOException refused) {
            throw new LimitsUnavailableException("cannot write " + value + " to " + file + ": " + reason(refused));
        }
    }

    private Path create(Path base, String name) throws LimitsUnavailableException {
        Path folder = base.resolve(PREFIX + ownPid + "-" + name);
        MADE.add(folder);
        try {
            groupFolders.make(folder);
            return folder;
        } catch (IOException refused) {
            MADE.remove(folder);
            throw new LimitsUnavailableException("cannot create " + folder + ": " + reason(refused));
        }
    }

    private static String reason(IOException failure) {
        return failure.getClass().getSimpleName() + " " + failure.getMessage();
    }

    /** The kernel refuses to remove a group with a process. */
    private void remove(Path folder) {
        try {
            groupFolders.remove(folder);
            MADE.remove(folder);
            leftovers.remove(folder);
        } catch (IOException busy) {
            leftovers.add(folder);
        }
    }

    /** Removes leftovers of ended workers, which would otherwise stay until the next start. */
    void close() {
        long deadlineNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(REMOVE_WAIT_MS);
        leftovers.forEach(this::remove);
        while (!leftovers.isEmpty() && System.nanoTime() < deadlineNanos) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(REMOVE_PAUSE_MS));
            leftovers.forEach(this::remove);
        }
        if (!leftovers.isEmpty()) LOG.warn("groups that cannot be removed yet: {}", leftovers);
    }

    private void removeStale(Path base) throws LimitsUnavailableException {
        try (DirectoryStream<Path> groups = Files.newDirectoryStream(base, PREFIX + "*-*")) {
            for (Path group : groups) {
                if (!MADE.contains(group) && isStale(String.valueOf(group.getFileName()))) {
                    killOrphans(group);
                    remove(group);
                }
            }
        } catch (IOException unreadable) {
            throw new LimitsUnavailableException("cannot list " + base + ": " + reason(unreadable));
        }
    }

    /** Only workers get into such a group, and workers die with their launcher; processes left in it are orphans. */
    private static void killOrphans(Path group) {
        try {
            List<ProcessHandle> orphans = processesIn(group);
            for (int round = 0; !orphans.isEmpty() && round < KILL_ROUNDS; round++) {
                LOG.warn("killing {}, which a dead worker-agent left in {}", orphans, group);
                orphans.forEach(WorkerGroups::kill);
                orphans = processesIn(group);
            }
        } catch (IOException unreadable) {
            LOG.warn("cannot look into {}: {}", group, reason(unreadable));
        }
    }

    /** The visible ones: a process of another PID namespace shows as 0, and is left alone. */
    private static List<ProcessHandle> processesIn(Path group) throws IOException {
        return Files.readAllLines(group.resolve("cgroup.procs")).stream()
                .map(pid -> ProcessHandle.of(Long.parseLong(pid)))
                .flatMap(Optional::stream)
                .toList();
    }

    private static void kill(ProcessHandle orphan) {
        orphan.destroyForcibly();
        try {
            orphan.onExit().get(KILL_WAIT_MS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException stillThere) {
            LOG.warn("process {} does not end", orphan.pid());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** For a folder that this process did not create. With its own pid it is a predecessor's in a container. */
    private boolean isStale(String name) {
        String pid = name.substring(PREFIX.length(), name.indexOf('-', PREFIX.length()));
        return pid.matches("[0-9]{1,9}")
                && (Long.parseLong(pid) == ownPid
                        || ProcessHandle.of(Long.parseLong(pid)).isEmpty());
    }

    private final class GroupLease implements LimitsLease {

        private final List<Path> bases;
        private final List<Path> folders;
        private final Settings settings;
        private final Path oomFile;
        private final AtomicBoolean released = new AtomicBoolean();

        GroupLease(SequencedMap<Path, Path> folderByBase, Settings settings, String oomFile) {
            this.bases = List.copyOf(folderByBase.keySet());
            this.folders = List.copyOf(folderByBase.values());
            this.settings = settings;
            this.oomFile = folders.getFirst().resolve(oomFile);
        }

        @Override
        public void limit(ResourceLimits limits) throws LimitsUnavailableException {
            Map<Path, Map<String, String>> values = settings.of(limits);
            for (int i = 0; i < bases.size(); i++) {
                for (var value : values.getOrDefault(bases.get(i), Map.of()).entrySet()) {
                    write(folders.get(i).resolve(value.getKey()), value.getValue());
                }
            }
        }

        @Override
        public List<Path> procsFiles() {
            return folders.stream()
                    .map(folder -> folder.resolve("cgroup.procs"))
                    .toList();
        }

        @Override
        public boolean limitsMemory() {
            return true;
        }

        @Override
        public void handleRunning(long initPid, Runnable kill) {
            // The kernel enforces the limit.
        }

        @Override
        public boolean oomKilled() {
            try {
                return Files.readAllLines(oomFile).stream()
                        .anyMatch(line -> line.startsWith("oom_kill ") && !line.equals("oom_kill 0"));
            } catch (IOException gone) {
                return false;
            }
        }

        @Override
        public void close() {
            if (released.compareAndSet(false, true)) folders.forEach(WorkerGroups.this::remove);
        }
    }
}
