package brig.workeragent.limits;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
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

    private final ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brig-memory-watch").factory());

    MemoryWatch() {
        looks.setRemoveOnCancelPolicy(true);
    }

    /** One process tree and its result. */
    static final class Subject {
        private volatile boolean exceeded;
        private @Nullable Future<?> look;
        private boolean ended;

        boolean exceeded() {
            return exceeded;
        }

        synchronized void end() {
            ended = true;
            if (look != null) look.cancel(false);
        }

        private synchronized void watchedBy(Future<?> started) {
            look = started;
            if (ended) started.cancel(false);
        }
    }

    void start(Subject subject, long root, long bytesMax, Runnable kill) {
        subject.watchedBy(looks.scheduleWithFixedDelay(
                () -> check(subject, root, bytesMax, kill), PERIOD_MS, PERIOD_MS, TimeUnit.MILLISECONDS));
    }

    private static void check(Subject subject, long root, long bytesMax, Runnable kill) {
        long bytes;
        try {
            bytes = WallMemory.bytesOf(root);
        } catch (RuntimeException failed) {
            // An exception would stop the watch and leave the wall without a limit.
            LOG.warn("Cannot measure the memory of the wall of process {}: killing it", root, failed);
            bytes = Long.MAX_VALUE;
        }
        if (bytes > bytesMax) {
            LOG.info(
                    "{} bytes of memory in the wall of process {}, its limit is {}: killing it", bytes, root, bytesMax);
            subject.exceeded = true;
            kill.run();
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
