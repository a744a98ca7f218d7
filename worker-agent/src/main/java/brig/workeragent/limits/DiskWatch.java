package brig.workeragent.limits;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends sessions whose folders grow beyond their limit, and the one that grew most where a file system is nearly full:
 * gateway, worker-agent and other sessions write there too.
 *
 * <p>Decision 0207.
 */
public final class DiskWatch implements AutoCloseable {
    static final int PERIOD_MS = 250;
    /** For the operator. */
    public static final String GAP =
            "disk is measured every " + PERIOD_MS + " ms and less often if that takes long, so "
                    + "for that long a worker can exceed its limit; files that it deleted and holds open are not seen, nor "
                    + "are folders that this user cannot read";
    /** A session that grew by less is not what filled the disk. */
    static final long SMALL_BYTES = 64L << 20;

    private static final long RESERVED_PART = 10;

    private static final Logger LOG = LoggerFactory.getLogger(DiskWatch.class);

    private final long reserveBytes;
    private final LongSupplier clockMs;
    private final ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brig-disk-watch").factory());
    private final Map<Session, Runnable> running = new ConcurrentHashMap<>();

    // Owned by the thread of the looks.
    /** What was available when a session was ended for the reserve, by file system, until there is enough again. */
    private final Map<Long, Long> lowAt = new HashMap<>();

    DiskWatch(long reserveBytes, LongSupplier clockMs) {
        this.reserveBytes = reserveBytes;
        this.clockMs = clockMs;
    }

    /** @param reserveBytes of each file system, which no session may use; a tenth of it at most. 0: none */
    public static DiskWatch start(long reserveBytes) {
        DiskWatch watch = new DiskWatch(reserveBytes, () -> TimeUnit.NANOSECONDS.toMillis(System.nanoTime()));
        var _ = watch.looks.scheduleWithFixedDelay(watch::look, PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS);
        return watch;
    }

    /** The folders of one session, over all of its processes. */
    public final class Session implements AutoCloseable {
        private final String folder;
        private final DiskGrowth growth;
        private final String reached;
        private volatile @Nullable String full;

        private Session(List<Path> folders, long bytesMax, String reached) {
            this.folder = folders.getFirst().toString();
            this.reached = reached;
            this.growth = new DiskGrowth(bytesMax, enough -> FolderBytes.of(folders, enough), clockMs);
        }

        /** Its next process starts. Call it before anything can be written. */
        public void begin() {
            Statfs disk = Statfs.of(folder);
            if (disk != null) {
                growth.begin(disk.usedBytes());
            }
        }

        /** @param kill ends the process that runs; idempotent and thread-safe */
        public void handleRunning(Runnable kill) {
            running.put(this, kill);
        }

        /** Why it was ended, with what mends it; null if it was not. */
        public @Nullable String full() {
            return full;
        }

        /** No process of it runs now. */
        @Override
        public void close() {
            running.remove(this);
        }

        private void end(String why) {
            full = why;
            LOG.info("the session in {} is ended: {}", folder, why);
            Runnable kill = running.get(this);
            if (kill != null) kill.run();
        }
    }

    /**
     * @param folders all that the session may write on a disk; at least one
     * @param bytesMax 0 for no limit of its own
     */
    public Session session(List<Path> folders, long bytesMax) {
        return new Session(
                folders,
                bytesMax,
                "its folders grew by more than " + bytesMax + " bytes since it began (diskBytesMax of its policy or of"
                        + " worker in brig.json). Remove what it left, or raise the key");
    }

    /** @param reached what is said of a session that reached its limit, with what mends it */
    public Session session(List<Path> folders, long bytesMax, String reached) {
        return new Session(folders, bytesMax, reached);
    }

    private record Grown(Session session, long bytes) {}

    void look() {
        Map<Long, Grown> largest = new HashMap<>();
        Map<Long, Statfs> low = new HashMap<>();
        for (Session session : running.keySet()) {
            try {
                look(session, largest, low);
            } catch (RuntimeException failed) {
                LOG.warn("cannot measure the disk of the session in {}", session.folder, failed);
            }
        }
        low.forEach((id, disk) -> relieve(id, disk, largest.get(id)));
    }

    private void look(Session session, Map<Long, Grown> largest, Map<Long, Statfs> low) {
        Statfs disk = Statfs.of(session.folder);
        if (disk == null || session.full != null) {
            return;
        }
        boolean isLow = disk.availableBytes() < Math.min(reserveBytes, disk.bytes() / RESERVED_PART);
        long grown = session.growth.look(disk.usedBytes(), isLow);
        if (session.growth.exceeded()) {
            session.end(session.reached);
            return;
        }
        if (!isLow) {
            lowAt.remove(disk.id());
            return;
        }
        low.put(disk.id(), disk);
        Grown other = largest.get(disk.id());
        if (grown >= SMALL_BYTES && (other == null || other.bytes < grown)) {
            largest.put(disk.id(), new Grown(session, grown));
        }
    }

    /** What an ended session wrote stays, so another one is ended only if the disk gets fuller. */
    private void relieve(long id, Statfs disk, @Nullable Grown largest) {
        Long before = lowAt.get(id);
        if (largest != null && (before == null || disk.availableBytes() < before - SMALL_BYTES)) {
            lowAt.put(id, disk.availableBytes());
            largest.session.end("the file system of its workspace has " + disk.availableBytes()
                    + " bytes left, fewer than the reserve (worker.diskReserveBytes in brig.json), and no other session "
                    + "grew as much. Make room there");
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
