package brig.workeragent.limits;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends a tree of processes that has more memory than it may: what stands in for a group's limit. Memory that
 * several share is counted once (PSS), else each worker of a fork would count its parent's again.
 */
final class MemoryWatch implements AutoCloseable {

    static final int PERIOD_MS = 250;

    private static final Logger LOG = LoggerFactory.getLogger(MemoryWatch.class);
    private static final int PAGE_BYTES = 4096;

    private final ScheduledThreadPoolExecutor looks = new ScheduledThreadPoolExecutor(
            1, Thread.ofPlatform().daemon().name("brig-memory-watch").factory());

    MemoryWatch() {
        looks.setRemoveOnCancelPolicy(true);
    }

    /** One tree, and what was found of it. */
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
        long bytes = bytesOf(root);
        if (bytes > bytesMax) {
            LOG.info("{} bytes of memory below process {}, which may have {}: killing", bytes, root, bytesMax);
            subject.exceeded = true;
            kill.run();
        }
    }

    /** What a process and all below it have in memory and in swap. */
    static long bytesOf(long root) {
        Optional<ProcessHandle> process = ProcessHandle.of(root);
        return process.stream().flatMap(first -> Stream.concat(Stream.of(first), first.descendants()))
                .mapToLong(each -> ofProcess(Path.of("/proc/" + each.pid()))).sum();
    }

    /** Formats: proc(5). Resident memory, which is more, of a process that does not let us look closer. */
    private static long ofProcess(Path folder) {
        try (Stream<String> lines = Files.lines(folder.resolve("smaps_rollup"))) {
            return lines.filter(line -> line.startsWith("Pss:") || line.startsWith("SwapPss:"))
                    .mapToLong(line -> 1024 * Long.parseLong(line.replaceAll("\\D", ""))).sum();
        } catch (IOException | UncheckedIOException closed) {
            return resident(folder);
        }
    }

    private static long resident(Path folder) {
        try {
            return PAGE_BYTES * Long.parseLong(Files.readString(folder.resolve("statm")).split(" ", 3)[1]);
        } catch (IOException gone) {
            return 0;
        }
    }

    @Override
    public void close() {
        looks.shutdownNow();
    }
}
