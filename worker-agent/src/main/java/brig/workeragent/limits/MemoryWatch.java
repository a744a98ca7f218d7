package brig.workeragent.limits;

import brig.workeragent.limits.ProcessTable.Entry;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends walls that exceed their memory limit, as a substitute for a group's limit.
 *
 * <p>Decision 0027.
 */
final class MemoryWatch implements AutoCloseable {

    static final int PERIOD_MS = 250;

    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);

    private static final WallWatch.Gauge GAUGE = new WallWatch.Gauge() {
        @Override
        public long bytes(long root, List<Entry> tree) {
            return WallMemory.bytesOf(root, tree);
        }

        @Override
        public long fileBytes(long root) {
            return WallMemory.ofFiles(root);
        }
    };

    private final ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brig-memory-watch").factory());
    private final Map<Subject, Wall> walls = new ConcurrentHashMap<>();

    // Owned by the thread of the looks.
    private final ProcessReader processes = new ProcessReader(Path.of("/proc"));
    private boolean failing;

    private record Wall(WallWatch watch, Runnable kill) {}

    MemoryWatch() {
        var _ = looks.scheduleWithFixedDelay(this::look, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
    }

    /** A process tree, and whether it exceeded its limit. */
    static final class Subject {
        private volatile boolean exceeded;
        private volatile boolean ended;

        boolean exceeded() {
            return exceeded;
        }
    }

    void start(Subject subject, long root, long bytesMax, Runnable kill) {
        walls.put(subject, new Wall(new WallWatch(root, bytesMax, GAUGE), kill));
        if (subject.ended) walls.remove(subject);
    }

    void end(Subject subject) {
        subject.ended = true;
        walls.remove(subject);
    }

    private void look() {
        if (walls.isEmpty()) return;
        try {
            long nowMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
            Set<Long> roots =
                    walls.values().stream().map(wall -> wall.watch().root()).collect(Collectors.toUnmodifiableSet());
            ProcessTable table = processes.read(roots, nowMs);
            walls.forEach((subject, wall) -> check(subject, wall, table, nowMs));
            failing = false;
        } catch (IOException | RuntimeException failed) {
            if (!failing) LOG.error("Cannot read the processes of this host: memory is not limited", failed);
            failing = true;
        }
    }

    private static void check(Subject subject, Wall wall, ProcessTable table, long nowMs) {
        WallWatch watch = wall.watch();
        long bytes;
        try {
            bytes = watch.look(table, nowMs);
        } catch (RuntimeException failed) {
            LOG.warn("Cannot measure the memory of the wall of process {}: killing it", watch.root(), failed);
            bytes = Long.MAX_VALUE;
        }
        if (bytes > watch.bytesMax()) {
            LOG.info(
                    "{} bytes of memory in the wall of process {}, its limit is {}: killing it",
                    bytes,
                    watch.root(),
                    watch.bytesMax());
            subject.exceeded = true;
            wall.kill().run();
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
