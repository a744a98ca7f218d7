package brig.workeragent.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.workeragent.limits.ProcessTable.Entry;
import java.util.List;
import org.junit.jupiter.api.Test;

class WallWatchTest {
    private static final long ROOT = 10;
    private static final long LIMIT = 1000;

    private final Counting gauge = new Counting();
    private final WallWatch watch = new WallWatch(ROOT, LIMIT, gauge);

    private static final class Counting implements WallWatch.Gauge {
        private long bytes = 100;
        private long fileBytes;
        private int measured;

        @Override
        public long bytes(long root, List<Entry> tree) {
            measured++;
            return bytes;
        }

        @Override
        public long fileBytes(long root) {
            return fileBytes;
        }
    }

    /** A wall of two processes beside one that is none of it. */
    private static ProcessTable table(long faults, long resident) {
        return new ProcessTable(List.of(
                new Entry(1, 0, 5, faults, 0, 7777),
                new Entry(ROOT, 1, 0, 3, 500, 20),
                new Entry(11, ROOT, 0, faults, 500, resident)));
    }

    @Test
    void shouldMeasureOnceWhileNothingHappens() {
        for (int look = 0; look < 10; look++) {
            assertEquals(100, watch.look(table(1, 30), look * 250_000));
        }
        assertEquals(1, gauge.measured);
    }

    @Test
    void shouldEstimateASecondLongWhileItIsFarFromItsLimit() {
        gauge.fileBytes = 50;
        watch.look(table(1, 30), 0);
        gauge.bytes = 200;
        assertEquals(140, watch.look(table(2, 70), 250));
        gauge.fileBytes = 350;
        assertEquals(440, watch.look(table(3, 70), 500));
        assertEquals(400, watch.look(table(4, 10), 750), "nothing counts as given back until it is measured");
        assertEquals(200, watch.look(table(5, 70), WallWatch.HOLDS_MS));
        assertEquals(2, gauge.measured);
    }

    @Test
    void shouldMeasureAtOnceWhenTheEstimateIsNearItsLimit() {
        watch.look(table(1, 30), 0);
        gauge.bytes = 1100;
        assertEquals(1100, watch.look(table(2, 30 + 401), 250));
        gauge.fileBytes = 401;
        gauge.bytes = 1200;
        assertEquals(1200, watch.look(table(3, 30), 500));
    }

    @Test
    void shouldMeasureEachTimeWhileItHasMoreThanHalf() {
        gauge.bytes = 501;
        for (int look = 1; look <= 4; look++) {
            watch.look(table(look, 30), look);
            assertEquals(look, gauge.measured);
        }
    }

    @Test
    void shouldSeeAProcessThatCameAndNothingAfterTheEnd() {
        watch.look(table(1, 30), 0);
        watch.look(
                new ProcessTable(List.of(
                        new Entry(ROOT, 1, 0, 3, 500, 20),
                        new Entry(11, ROOT, 0, 1, 500, 30),
                        new Entry(12, 11, 0, 0, 0, 0))),
                WallWatch.HOLDS_MS);
        assertEquals(2, gauge.measured);
        assertEquals(0, watch.look(new ProcessTable(List.of()), 5_000));
    }

    @Test
    void shouldReadALineWithBracketsInItsName() {
        String stat = "4711 (a (b) c) S 42 4711 4711 0 -1 4194560 100 9 2 9 250 50 0 0 20 0 7 0 1000 1000000 500 1 1";
        assertEquals(new Entry(4711, 42, 300, 102, 1_000_000, 500 * 4096), Entry.parse(4711, stat));
    }
}
