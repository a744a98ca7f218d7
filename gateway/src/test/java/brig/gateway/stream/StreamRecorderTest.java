package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

class StreamRecorderTest {
    private static final int UNWRITTEN_MAX = 1024 * 1024;
    private final Bench bench = new Bench().record();

    @Test
    void shouldAcknowledgeOnlyWhenFramesAreStored() {
        bench.append(1, 3);
        bench.loop.run();
        assertEquals(List.of(), bench.acked);
        bench.settle();
        assertEquals(List.of(3L), bench.acked);
        assertEquals(3, bench.archive.frames());
    }

    @Test
    void shouldStoreSmallFramesTogetherAtTheTick() {
        bench.holdsTicks = true;
        bench.append(1, 3);
        bench.settle();
        bench.append(4, 6);
        bench.settle();
        assertEquals(0, bench.archive.frames());
        assertEquals(1, bench.heldTicks.size());

        bench.heldTicks.removeFirst().run();
        bench.settle();

        assertEquals(List.of(6L), bench.acked);
        assertEquals(6, bench.archive.frames());
        assertEquals(List.of(), bench.heldTicks);
    }

    @Test
    void shouldDoNothingWhenItIsAskedWhetherItIsWritable() {
        Bench own = new Bench();
        own.holdsTicks = true;
        StreamRecorder recorder = new StreamRecorder(own.log, () -> own.nowMs, own.acked::add, () -> {});
        recorder.start();
        assertFalse(recorder.isWritable());
        own.fill(64 * 1024, 1024);
        assertFalse(recorder.isWritable(), "nobody told it yet that frames wait");
        assertEquals(0, own.heldTicks.size());

        recorder.handleFramesWaiting();
        assertTrue(recorder.isWritable());
    }

    @Test
    void shouldWaitForOneTickHoweverOftenFramesWait() {
        bench.holdsTicks = true;
        bench.append(1, 1);
        bench.settle();
        bench.append(2, 2);
        bench.settle();
        assertEquals(1, bench.heldTicks.size());
        assertEquals(List.of(), bench.acked);
    }

    @Test
    void shouldHandOverWhatATickTookBeforeTheLogLetsGoOfIt() {
        bench.holdsTicks = true;
        bench.fill(56 * 1024, 1024);
        bench.settle();
        bench.heldTicks.removeFirst().run();
        // In the same turn so much comes that the window moves on, and somebody wants the first frame.
        long last = bench.fill(2 * Bench.WINDOW, 1024);
        RecordingSink late = bench.reader(1, false);
        bench.settle();
        assertEquals(last, late.text().lines().count());
        assertTrue(late.story().stream().noneMatch(what -> what.startsWith("gap")), late.story()::toString);
    }

    @Test
    void shouldNotWaitForTheTickWhenMuchWaitsOrTheStreamEnds() {
        bench.holdsTicks = true;
        long last = bench.fill(64 * 1024, 1024);
        bench.settle();
        assertEquals(last, bench.archive.frames());

        bench.append(last + 1, last + 1);
        bench.log.end();
        bench.settle();

        assertEquals(last + 1, bench.archive.frames());
        assertEquals(1, bench.finished);
    }

    @Test
    void shouldGoOnBehindTheRecordWhenItJoinsALogThatHasFrames() {
        Bench restarted = new Bench(Long.MAX_VALUE, 10, 7).record();
        restarted.append(5, 9);
        restarted.settle();
        assertEquals(List.of(9L), restarted.acked);
        assertEquals(8, restarted.archive.firstSeq());
        assertEquals(2, restarted.archive.frames());
    }

    @Test
    void shouldStoreEverythingWhenABurstIsLongerThanTheWindow() {
        // Scenario: after a restart the worker-agent sends all that it has kept, in one turn of the loop: more than the
        // window, before the recorder has drained once.
        long last = bench.fill(3 * Bench.WINDOW, 1024);
        bench.settle();
        assertEquals(last, bench.archive.frames());
        assertEquals(last, bench.acked.getLast());
    }

    @Test
    void shouldStoreEverythingBehindAJumpWhenABurstComesDuringItsRead() {
        // Scenario: the source jumps, so that the recorder asks the archive for what lies between; before the disk
        // answers more than a window comes.
        bench.append(1, 3);
        bench.settle();
        bench.append(10, 12);
        bench.loop.run();
        bench.fill(3 * Bench.WINDOW, 1024);
        bench.settle();
        assertEquals(bench.log.lastSeq() - 6, bench.archive.frames());
    }

    @Test
    void shouldPauseTheSourceWhenTheDiskIsSlow() {
        while (!bench.paused) {
            bench.fill(8 * 1024, 1024);
            bench.loop.run();
            assertTrue(
                    bench.log.lastSeq() < 2048, "a mebibyte on its way to the disk and a window are about 1150 frames");
        }
        assertTrue(bench.log.lastSeq() >= UNWRITTEN_MAX / 1024);

        bench.settle();

        assertFalse(bench.paused);
        assertEquals(bench.log.lastSeq(), bench.acked.getLast());
        assertEquals(bench.log.lastSeq(), bench.archive.frames());
    }

    @Test
    void shouldTellReadersOnceAndGoOnAcknowledgingWhenTheDiskFails() {
        RecordingSink captain = bench.reader(1, true);
        bench.append(1, 3);
        bench.settle();
        bench.archive.setBroken(true);

        bench.append(4, 6);
        bench.settle();
        bench.append(7, 9);
        bench.settle();

        assertEquals(List.of("1-3", "4-6", "notice RECORD_LOST", "7-9"), captain.story());
        assertEquals(List.of(3L, 6L, 9L), bench.acked);
        assertTrue(captain.flushes() >= 3, "the notice is flushed, too");
    }

    @Test
    void shouldTryTheDiskAgainWhenFiveSecondsHavePassed() {
        bench.archive.setBroken(true);
        bench.append(1, 3);
        bench.settle();
        bench.archive.setBroken(false);

        bench.nowMs += 4_999;
        bench.append(4, 6);
        bench.settle();
        assertEquals(0, bench.archive.frames(), "too early");
        bench.nowMs += 1;
        bench.append(7, 9);
        bench.settle();
        bench.append(10, 12);
        bench.settle();

        assertEquals(7, bench.archive.firstSeq());
        assertEquals(6, bench.archive.frames());
        assertEquals(List.of(3L, 6L, 9L, 12L), bench.acked);
    }

    @Test
    void shouldTellReadersAgainWhenTheDiskFailsASecondTime() {
        RecordingSink captain = bench.reader(1, true);
        for (int failure = 0; failure < 2; failure++) {
            bench.archive.setBroken(true);
            bench.append(bench.log.lastSeq() + 1, bench.log.lastSeq() + 1);
            bench.settle();
            bench.archive.setBroken(false);
            bench.nowMs += 5_000;
            bench.append(bench.log.lastSeq() + 1, bench.log.lastSeq() + 1);
            bench.settle();
        }
        assertEquals(
                2, captain.story().stream().filter("notice RECORD_LOST"::equals).count());
    }

    @Test
    void shouldTellOnceWhenARetryFails() {
        RecordingSink captain = bench.reader(1, true);
        bench.archive.setBroken(true);
        for (long seq = 1; seq <= 3; seq++) {
            bench.append(seq, seq);
            bench.settle();
            bench.nowMs += 5_000;
        }
        assertEquals(
                1, captain.story().stream().filter("notice RECORD_LOST"::equals).count());
        assertEquals(List.of(1L, 2L, 3L), bench.acked);
    }

    @Test
    void shouldTellOnceWhenAWriteBesideTheFailedOneSucceeds() {
        RecordingSink captain = bench.reader(1, true);
        bench.archive.setBroken(true);
        for (long seq = 1; seq <= 3; seq++) {
            bench.append(seq, seq);
            bench.loop.run();
        }
        bench.disk.runOne();
        bench.archive.setBroken(false);
        bench.disk.runOne();
        bench.archive.setBroken(true);
        bench.settle();
        bench.append(4, 4);
        bench.settle();
        assertEquals(
                1, captain.story().stream().filter("notice RECORD_LOST"::equals).count());
    }

    @Test
    void shouldNotAcknowledgeBackwardsWhenWritesFailBesideEachOther() {
        // Scenario: three writes are on their way when the disk fails. After the first failure a fourth batch is given
        // up at once, while two are still on their way. An acknowledgement speaks for everything before it.
        bench.archive.setBroken(true);
        for (long seq = 1; seq <= 3; seq++) {
            bench.append(seq, seq);
            bench.loop.run();
        }
        bench.disk.runOne();
        bench.loop.run();
        bench.append(4, 4);
        bench.loop.run();
        bench.settle();
        assertEquals(bench.acked.stream().sorted().toList(), bench.acked);
        assertEquals(4L, bench.acked.getLast());
    }

    @Test
    void shouldFinishOnlyWhenEverythingIsStored() {
        bench.append(1, 3);
        bench.log.end();
        bench.loop.run();
        assertEquals(0, bench.finished);
        assertFalse(bench.archive.isClosed());

        bench.settle();

        assertEquals(1, bench.finished);
        assertTrue(bench.archive.isClosed());
        assertEquals(List.of(3L), bench.acked);
    }

    @Test
    void shouldFinishOnceWhenTheLastFramesAreGivenUp() {
        bench.archive.setBroken(true);
        bench.append(1, 3);
        bench.settle();
        bench.append(4, 6);
        bench.end();
        assertEquals(1, bench.finished);
        assertEquals(List.of(3L, 6L), bench.acked);
    }

    @Test
    void shouldFinishAtOnceWhenTheStreamEndsWithoutAFrame() {
        bench.end();
        assertEquals(1, bench.finished);
        assertEquals(0, bench.log.readerCount());
    }
}
