package brig.loadtests;

import brig.loadtests.product.Brig;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Samples every few seconds: the gateway's memory, the captain's rate, the watcher's lag. */
final class Samples {
    private static final long EVERY_SECONDS = 5;
    private static final double MIB = 1024.0 * 1024;

    private final Brig brig;
    private final Follower captain;
    private final Follower watcher;
    private final Report report;
    private final List<List<String>> rows = new ArrayList<>();
    private final CountDownLatch never = new CountDownLatch(1);
    private long lastNanos = System.nanoTime();
    private long lastFrames;
    private long lastBytes;

    Samples(Brig brig, Follower captain, Follower watcher, Report report) {
        this.brig = brig;
        this.captain = captain;
        this.watcher = watcher;
        this.report = report;
        report.row(List.of("phase", "rss MiB", "heap MiB", "frames/s", "MiB/s", "watcher lag"));
    }

    void rows(String phase, long forSeconds) throws IOException, InterruptedException {
        for (long left = forSeconds; left > 0; left -= EVERY_SECONDS) {
            boolean unused = never.await(Math.min(left, EVERY_SECONDS), TimeUnit.SECONDS);
            row(phase);
        }
    }

    /** Takes samples until it is done, or has taken too long. */
    void rowsUntil(String phase, CompletableFuture<?> done, long secondsMax) throws IOException, InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(secondsMax);
        while (!done.isDone() && System.nanoTime() < end) {
            rows(phase, 1);
        }
    }

    void row(String phase) throws IOException {
        long now = System.nanoTime();
        double passed = (now - lastNanos) / 1e9;
        double frames = (captain.frames() - lastFrames) / passed;
        double mib = (captain.bytes() - lastBytes) / MIB / passed;
        lastNanos = now;
        lastFrames = captain.frames();
        lastBytes = captain.bytes();
        List<String> cells = List.of(
                phase,
                Report.number(brig.residentBytes() / MIB),
                Report.number(brig.heapBytes() / MIB),
                Report.number(frames),
                Report.number(mib),
                String.valueOf(captain.next() - watcher.next()));
        rows.add(cells);
        report.row(cells);
    }

    /** Adds all rows to the report, after the last one. */
    void keep() {
        report.keep("samples", rows);
    }
}
