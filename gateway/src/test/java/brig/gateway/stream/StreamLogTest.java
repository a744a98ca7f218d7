package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A log and its live readers; what happens when the archive has to help is in {@link SubscriptionTest}. */
class StreamLogTest {
    @Test
    void shouldGiveEveryReaderTheSameFramesWhenSeveralListen() {
        Bench bench = new Bench();
        RecordingSink captain = bench.reader(1, true);
        RecordingSink watcher = bench.reader(1, false);

        bench.append(1, 3);
        bench.settle();
        bench.append(4, 6);
        bench.settle();

        assertEquals(Frames.frames(1, 6), captain.text());
        assertEquals(Frames.frames(1, 6), watcher.text());
    }

    @Test
    void shouldWriteOnceAndFlushOnceWhenManyFramesComeInOneTurn() {
        Bench bench = new Bench();
        RecordingSink one = bench.reader(1, true);
        RecordingSink other = bench.reader(1, false);

        // The first segment of a stream takes 64 small frames; the second, which is twice as long, all of these.
        bench.append(1, 64);
        bench.settle();

        bench.append(65, 164);
        assertEquals(1, one.writes(), "nothing is written before the end of the turn");
        bench.settle();

        for (RecordingSink sink : List.of(one, other)) {
            assertEquals(List.of("1-64", "65-164"), sink.story());
            assertEquals(2, sink.flushes());
        }
    }

    @Test
    void shouldFlushOnceWhenManyLogsWriteToOneConnection() {
        Bench bench = new Bench();
        RecordingSink captain = new RecordingSink();
        List<StreamLog> logs = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            StreamLog log = new StreamLog(Bench.EPOCH, 0, bench.archive, bench.environment(10));
            log.subscribe(1, true, null, 0, captain);
            logs.add(log);
        }
        byte[] frame = Frames.utf8(Frames.frame(1));

        logs.forEach(log -> log.append(1, frame, 0, frame.length));
        bench.settle();

        assertEquals(100, captain.writes());
        assertEquals(1, captain.flushes());
    }

    @Test
    void shouldWriteNothingWhenAReaderJoinsBeforeItsFirstDrain() {
        Bench bench = new Bench();
        bench.append(1, 3);
        bench.settle();
        RecordingSink sink = new RecordingSink();

        Subscription reader = bench.log.subscribe(1, true, null, 0, sink);
        bench.settle();
        assertEquals(List.of(), sink.story());

        reader.drain();
        assertEquals(List.of("1-3"), sink.story());
    }

    @Test
    void shouldBeginAtTheWantedFrameWhenAttachedAnywhere() {
        Bench bench = new Bench();
        bench.append(1, 10);
        bench.settle();
        for (long from = 1; from <= 10; from++) {
            RecordingSink sink = bench.reader(from, false);
            assertEquals(Frames.frames(from, 10), sink.text());
        }
    }

    @Test
    void shouldBeginAtTheNextFrameWhenThePositionIsInTheFuture() {
        Bench bench = new Bench();
        bench.append(1, 10);
        bench.settle();
        RecordingSink sink = new RecordingSink();

        Subscription reader = bench.read(4711, true, sink);
        assertEquals(11, reader.nextSeq());
        bench.append(11, 12);
        bench.settle();

        assertEquals(List.of("11-12"), sink.story());
        assertEquals(1, bench.log.resumePoint(-5));
        assertEquals(13, bench.log.resumePoint(Long.MAX_VALUE));
    }

    @Test
    void shouldSendNothingAgainToAReaderThatIsAheadOfWhatTheSourceHasSentAgain() {
        // Scenario: a gateway that was killed had shown 1 to 8 and recorded 1 to 5; the worker-agent has 1 to 10.
        Bench bench = new Bench();
        bench.append(1, 5);
        bench.log.expect(10);
        bench.settle();
        RecordingSink ahead = bench.reader(9, true);
        RecordingSink behind = bench.reader(3, false);
        assertEquals(11, bench.log.resumePoint(4711), "only what is new");
        bench.append(6, 8);
        bench.settle();
        assertEquals(List.of(), ahead.story());
        bench.append(9, 12);
        bench.settle();
        assertEquals(List.of("9-12"), ahead.joined());
        assertEquals(List.of("3-12"), behind.joined());
    }

    @Test
    void shouldLetReadersWaitWhereTheyAreUntilTheSourceSaysWhatItHas() {
        // Scenario: as before, while the worker-agent is out of reach. It has 1 to 7, or ended with 4.
        for (boolean ends : new boolean[] {false, true}) {
            Bench bench = new Bench();
            bench.append(1, 3);
            bench.settle();
            bench.log.expectAny();
            RecordingSink ahead = bench.reader(6, true);
            RecordingSink newOnly = bench.reader(4711, false);
            if (!ends) {
                bench.log.expect(7);
            }
            bench.append(4, ends ? 4 : 8);
            bench.settle();
            assertEquals(List.of(ends ? "4-4" : "6-8"), ahead.joined());
            assertEquals(List.of(ends ? "4-4" : "8-8"), newOnly.joined());
        }
    }

    @Test
    void shouldIgnoreFramesThatItHasWhenTheyComeAgainAfterAReconnect() {
        Bench bench = new Bench();
        RecordingSink sink = bench.reader(1, true);
        bench.append(1, 5);
        bench.settle();

        for (long seq = 3; seq <= 4; seq++) {
            bench.append(seq, "the same number, but not what was delivered under it\n");
        }
        assertEquals(5, bench.log.lastSeq());
        bench.append(5, 7);
        bench.settle();

        assertEquals(Frames.frames(1, 7), sink.text());
        assertEquals(Frames.frames(1, 7), bench.reader(1, false).text());
        assertEquals(Frames.frames(4, 7), bench.reader(4, false).text());
        assertEquals(7, bench.log.lastSeq());
    }

    @Test
    void shouldTellAGapWhenTheSourceJumps() {
        Bench bench = new Bench().record();
        RecordingSink captain = bench.reader(1, true);
        RecordingSink watcher = bench.reader(1, false);
        bench.append(1, 3);
        bench.settle();

        bench.append(7, 9);
        bench.settle();
        RecordingSink later = bench.reader(1, false);
        bench.settle();

        for (RecordingSink sink : List.of(captain, watcher, later)) {
            assertEquals(List.of("1-3", "gap 4-6 record_lost", "7-9"), sink.joined());
        }
        assertEquals(List.of(3L, 9L), bench.acked);
    }

    @Test
    void shouldEndEveryReaderAfterItsLastFrameWhenTheStreamEnds() {
        Bench bench = new Bench().record();
        RecordingSink fast = bench.reader(1, true);
        RecordingSink slow = new RecordingSink();
        slow.allow(0);
        Subscription slowReader = bench.read(1, false, slow);

        bench.append(1, 3);
        bench.end();
        assertEquals(List.of("1-3", "end"), fast.story());
        assertFalse(slow.isEnded());

        slow.allow(1);
        slowReader.drain();
        assertEquals(List.of("1-3", "end"), slow.story());

        RecordingSink late = bench.reader(2, false);
        bench.settle();
        assertEquals(List.of("2-3", "end"), late.joined());
        RecordingSink done = bench.reader(4, false);
        assertEquals(List.of("end"), done.story());
        assertEquals(0, bench.log.readerCount());
    }

    @Test
    void shouldTakeNothingMoreWhenTheStreamHasEnded() {
        Bench bench = new Bench();
        bench.append(1, 2);
        bench.end();
        bench.append(3, 4);
        assertEquals(2, bench.log.lastSeq());
        assertTrue(bench.log.isEnded());
    }

    @Test
    void shouldRefuseAReaderWhenItsLimitIsReached() {
        Bench bench = new Bench(Long.MAX_VALUE, 2).record();
        Subscription first = bench.log.subscribe(1, true, null, 0, new RecordingSink());
        bench.log.subscribe(1, false, null, 0, new RecordingSink());

        BrigException refusal =
                assertThrows(BrigException.class, () -> bench.log.subscribe(1, false, null, 0, new RecordingSink()));
        assertEquals(ErrorCode.MAX_SUBSCRIPTIONS, refusal.code());
        assertTrue(refusal.retryAfterSeconds().isPresent());

        first.close();
        first.close();
        bench.log.subscribe(1, false, null, 0, new RecordingSink());
        assertEquals(2, bench.log.readerCount());
    }

    @Test
    void shouldRecordWhenReadersHaveTakenEveryPlaceBefore() {
        // Scenario: after a restart readers attach to the record before the worker-agent answers; then the spawn is
        // adopted, and its recorder joins a log that has no place left for readers.
        Bench bench = new Bench(Long.MAX_VALUE, 1);
        bench.log.subscribe(1, false, null, 0, new RecordingSink());
        bench.record();
        bench.append(1, 3);
        bench.settle();
        assertEquals(3, bench.archive.frames());
    }

    @Test
    void shouldPauseTheSourceWhenATetheredReaderIsAWindowBehindAndResumeAtHalf() {
        Bench bench = new Bench().record();
        RecordingSink captain = new RecordingSink();
        captain.allow(0);
        Subscription reader = bench.read(1, true, captain);

        bench.stream(Bench.WINDOW);
        assertFalse(bench.paused, "exactly a window behind");
        bench.stream(8 * 1024);
        assertTrue(bench.paused, "more than a window behind");

        // It takes a batch at a time; nothing is appended any more, so nothing but the reader itself can resume.
        while (bench.paused) {
            assertTrue(bench.log.lastSeq() - reader.nextSeq() >= 64, "half a window is 64 frames of 1 KiB");
            captain.allow(1);
            reader.drain();
        }
        assertTrue(bench.log.lastSeq() - reader.nextSeq() < 64);
        assertTrue(reader.nextSeq() <= bench.log.lastSeq(), "it need not have everything");
        assertEquals(1, bench.pauses);
    }

    @Test
    void shouldResumeTheSourceWhenTheSlowReaderLeaves() {
        Bench bench = new Bench().record();
        RecordingSink captain = new RecordingSink();
        captain.allow(0);
        Subscription reader = bench.read(1, true, captain);
        bench.stream(Bench.WINDOW + 8 * 1024);
        assertTrue(bench.paused);

        reader.close();

        assertFalse(bench.paused);
    }

    @Test
    void shouldPauseANewSourceWhenTheOldOneWasPaused() {
        Bench bench = new Bench().record();
        RecordingSink captain = new RecordingSink();
        captain.allow(0);
        bench.read(1, true, captain);
        bench.stream(Bench.WINDOW + 8 * 1024);
        assertTrue(bench.paused);

        bench.paused = false;
        bench.log.connect(bench);

        assertTrue(bench.paused);
    }

    @Test
    void shouldNeverPauseTheSourceWhenOnlyUntetheredReadersAreBehind() {
        Bench bench = new Bench().record();
        RecordingSink watcher = new RecordingSink();
        watcher.allow(0);
        bench.read(1, false, watcher);

        bench.stream(10 * Bench.WINDOW);

        assertEquals(0, bench.pauses);
    }

    @Test
    void shouldKeepAboutAWindowInMemoryWhenTheStreamIsLonger() {
        Bench bench = new Bench().record();
        bench.stream(10 * Bench.WINDOW);

        assertTrue(bench.budget.bytes() >= Bench.WINDOW, () -> "kept " + bench.budget.bytes());
        assertTrue(bench.budget.bytes() <= Bench.WINDOW + 2 * 64 * 1024, () -> "kept " + bench.budget.bytes());
    }

    @Test
    void shouldKeepWhatATetheredReaderHasNotSeenWhenTheWindowIsFull() {
        Bench bench = new Bench().record();
        RecordingSink captain = new RecordingSink();
        captain.allow(0);
        Subscription reader = bench.read(1, true, captain);
        long last = bench.stream(3 * Bench.WINDOW);

        captain.allow(100);
        reader.drain();

        assertEquals(List.of("1-" + last), captain.joined());
        assertEquals(0, bench.archive.reads(), "all of it was still in memory");
    }

    @Test
    void shouldKeepLessWhenTheMemoryOfAllStreamsIsUsedUp() {
        Bench bench = new Bench(64 * 1024, 10).record();
        bench.stream(10 * Bench.WINDOW);
        assertTrue(bench.budget.bytes() <= 2 * 64 * 1024, () -> "kept " + bench.budget.bytes());
    }

    @Test
    void shouldLeaveSlicesValidWhenTheirSegmentIsEvicted() {
        Bench bench = new Bench().record();
        RecordingSink stuck = RecordingSink.keeping();
        Subscription reader = bench.read(1, false, stuck);
        bench.append(1, 3);
        bench.settle();
        bench.stream(4 * Bench.WINDOW);

        assertEquals(Frames.frames(1, 3), stuck.kept().getFirst().toString(StandardCharsets.UTF_8));
        reader.close();
        bench.end();
        bench.log.release();
        assertEquals(Frames.frames(1, 3), stuck.kept().getFirst().toString(StandardCharsets.UTF_8));
        stuck.releaseKept();
        assertTrue(stuck.isMemoryReleased());
    }

    @Test
    void shouldGiveBackAllMemoryWhenTheStreamIsReleased() {
        Bench bench = new Bench().record();
        RecordingSink lines = bench.reader(1, true);
        RecordingSink events = RecordingSink.ofEvents();
        bench.read(1, false, events);
        bench.stream(3 * Bench.WINDOW);
        assertFalse(lines.isMemoryReleased());

        bench.end();
        bench.log.release();

        assertEquals(0, bench.budget.bytes());
        assertTrue(lines.isMemoryReleased());
        assertTrue(events.isMemoryReleased());
    }

    @Test
    void shouldKeepTheWindowForItsLastReaderWhenTheStreamIsReleased() {
        // Scenario: the stream has ended and its recorder is done, but the disk failed and a captain is not at the end
        // yet.
        Bench bench = new Bench().record();
        bench.append(1, 3);
        bench.end();
        Subscription behind = bench.log.subscribe(1, true, null, 0, new RecordingSink());
        bench.log.release();
        assertTrue(bench.budget.bytes() > 0);
        behind.close();
        assertEquals(0, bench.budget.bytes());
    }

    @Test
    void shouldCountTheMemoryOfEventsWhenTheFirstBrowserComes() {
        Bench bench = new Bench().record();
        bench.append(1, 3);
        bench.settle();
        long before = bench.budget.bytes();
        RecordingSink browser = RecordingSink.ofEvents();
        bench.read(1, false, browser);
        long with = bench.budget.bytes();
        assertTrue(with >= 2 * before, () -> before + " became " + with);

        bench.read(1, false, RecordingSink.ofEvents());
        assertEquals(with, bench.budget.bytes(), "a second browser shares them");
    }

    @Test
    void shouldWriteNothingMoreWhenAReaderIsClosedWhileItDrains() {
        // Scenario: writing the first of many batches finds the connection dead, and closes its reader.
        Bench bench = new Bench().record();
        bench.fill(100 * 1024, 1024);
        bench.settle();
        RecordingSink sink = new RecordingSink();
        Subscription reader = bench.log.subscribe(1, true, null, 0, sink);
        sink.onWrite(reader::close);

        reader.drain();
        bench.end();

        assertEquals(List.of("1-4"), sink.story());
    }

    @Test
    void shouldServeTheOthersWhenDrainingOneReaderClosesSeveral() {
        // Scenario: one connection reads the same stream three times; writing to it finds it dead, and all three close
        // while the log goes through its readers.
        Bench bench = new Bench().record();
        RecordingSink healthy = bench.reader(1, true);
        RecordingSink dead = new RecordingSink();
        List<Subscription> readers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            readers.add(bench.log.subscribe(1, false, null, 0, dead));
        }
        dead.onWrite(() -> readers.forEach(Subscription::close));

        bench.append(1, 3);
        bench.settle();
        bench.append(4, 6);
        bench.settle();

        assertEquals(List.of("1-3"), dead.story());
        assertEquals(List.of("1-6"), healthy.joined());
        assertEquals(6, bench.archive.frames());
    }

    @Test
    void shouldNotWaitForAStuckCaptainWhenTheWorkerIsBeingEnded() {
        Bench bench = new Bench().record();
        RecordingSink captain = new RecordingSink();
        captain.allow(0);
        Subscription reader = bench.read(1, true, captain);
        bench.stream(Bench.WINDOW + 8 * 1024);
        assertTrue(bench.paused);

        bench.log.setHeldByCaptains(false);
        assertFalse(bench.paused);
        bench.stream(2 * Bench.WINDOW);
        assertFalse(bench.paused);
        bench.end();
        captain.allow(Long.MAX_VALUE);
        reader.drain();
        bench.settle();
        assertEquals(bench.log.lastSeq() + 1, reader.nextSeq(), "the captain reads from disk what it missed");
        assertTrue(captain.isEnded());
    }
}
