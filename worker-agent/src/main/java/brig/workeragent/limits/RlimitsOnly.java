package brig.workeragent.limits;

import java.nio.file.Path;
import java.util.List;

/**
 * Limits without cgroups: brig-init's rlimits, which count per process, and a periodic check of the total memory. CPU
 * is not limited.
 */
public final class RlimitsOnly implements LimitsBackend {

    private final MemoryWatch watch = new MemoryWatch();

    @Override
    public String level() {
        return "rlimits";
    }

    @Override
    public String place() {
        return "no groups";
    }

    @Override
    public List<String> gaps() {
        return List.of(
                "CPU is not limited",
                "memory of a worker together is measured every " + MemoryWatch.PERIOD_MS
                        + " ms, so for that long it can exceed its limit",
                "an agent that means to hides memory from that: shared memory that it unmaps but for a part, and what "
                        + "the kernel holds for pipes and descriptors; then others on this host run short of it",
                "memfd_create, System V and POSIX message queues, semaphores and shared memory are refused, "
                        + "since nothing counts them here");
    }

    @Override
    public LimitsLease acquire(String name) {
        return new WatchedLease(watch);
    }

    @Override
    public void close() {
        watch.close();
    }

    private static final class WatchedLease implements LimitsLease {

        private final MemoryWatch watch;
        private final MemoryWatch.Subject subject = new MemoryWatch.Subject();
        private volatile long memoryBytesMax = Long.MAX_VALUE;

        WatchedLease(MemoryWatch watch) {
            this.watch = watch;
        }

        @Override
        public void limit(ResourceLimits limits) {
            memoryBytesMax = limits.memoryBytesMax();
        }

        @Override
        public List<Path> procsFiles() {
            return List.of();
        }

        @Override
        public boolean limitsMemory() {
            return false;
        }

        @Override
        public void handleRunning(long initPid, Runnable kill) {
            watch.start(subject, initPid, memoryBytesMax, kill);
        }

        @Override
        public boolean oomKilled() {
            return subject.exceeded();
        }

        @Override
        public void close() {
            watch.end(subject);
        }
    }
}
