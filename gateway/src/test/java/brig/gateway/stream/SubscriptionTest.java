package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Readers that the window has moved past: from the archive to the live stream. */
class SubscriptionTest {
    private final Bench bench = new Bench().record();

    /** A stream of two windows, the older one on disk only. */
    private long longStream() {
        return bench.stream(2 * Bench.WINDOW);
    }

    @Test
    void shouldReplayFromTheArchiveAndGoOnLiveWhenTheWindowHasMovedOn() {
        long last = longStream();
        RecordingSink sink = bench.reader(1, false);
        assertEquals(List.of(), sink.story(), "the archive answers later");
        bench.settle();
        assertEquals(List.of("1-" + last), sink.joined());
        int reads = bench.archive.reads();
        assertTrue(reads >= 2 && reads <= 5, () -> "a piece at a time, and the newest from memory: " + reads);

        bench.append(last + 1, last + 3);
        bench.settle();
        assertEquals(List.of("1-" + (last + 3)), sink.joined());
        assertEquals(reads, bench.archive.reads());
    }

    @Test
    void shouldShowNoSeamWhenFramesAreAppendedBetweenAnyTwoSteps() {
        // Scenario: a reader replays; after step k of the loop or the disk another 8 KiB come, for every k, and for
        // every
        // pair of steps. The window moves on under the reader, the archive grows behind it.
        for (int first = 0; first < 24; first++) {
            for (int second = first; second < 24; second += 5) {
                replayWhileAppending(first, second);
            }
        }
    }

    private static void replayWhileAppending(int first, int second) {
        Bench bench = new Bench().record();
        bench.stream(2 * Bench.WINDOW);
        RecordingSink sink = bench.reader(1, false);
        RecordingSink captain = bench.reader(1, true);
        for (int step = 0; !bench.loop.isIdle() || !bench.disk.isIdle(); step++) {
            if (step == first || step == second) {
                bench.fill(8 * 1024, 1024);
            }
            // Now the loop, now the disk is the faster one.
            Loop next = bench.loop.isIdle() || (step % 3 == 0 && !bench.disk.isIdle()) ? bench.disk : bench.loop;
            next.runOne();
        }
        String where = "appended at " + first + " and " + second;
        assertEquals(List.of("1-" + bench.log.lastSeq()), sink.joined(), where);
        assertEquals(List.of("1-" + bench.log.lastSeq()), captain.joined(), where);
        assertEquals(bench.log.lastSeq(), bench.archive.frames(), where);
    }

    @Test
    void shouldJoinTheLiveStreamWhenAWholeWindowComesDuringARead() {
        // Scenario: while one read of the archive is under way the window moves on past the place where the reader
        // would have joined it.
        longStream();
        RecordingSink sink = bench.reader(1, false);
        for (int i = 0; i < 2 * Bench.WINDOW; i += 8 * 1024) {
            bench.fill(8 * 1024, 1024);
            bench.loop.run();
        }
        bench.settle();
        assertEquals(List.of("1-" + bench.log.lastSeq()), sink.joined());
    }

    @Test
    void shouldTellAGapWhenTheArchiveHasDeletedTheOldest() {
        long last = longStream();
        bench.archive.evictBefore(50);
        RecordingSink sink = bench.reader(1, false);
        bench.settle();
        assertEquals(List.of("gap 1-49 evicted", "50-" + last), sink.joined());
    }

    @Test
    void shouldTellAGapWhenTheArchiveDeletesWhatASlowReaderWouldReadNext() {
        // Scenario: a watcher stalls in the middle of its replay; meanwhile the oldest file goes.
        long last = longStream();
        RecordingSink sink = new RecordingSink();
        sink.allow(1);
        Subscription reader = bench.read(1, false, sink);
        bench.settle();
        assertEquals(List.of("1-64"), sink.story());

        bench.archive.evictBefore(100);
        sink.allow(1000);
        reader.drain();
        bench.settle();

        assertEquals(List.of("1-64", "gap 65-99 evicted", "100-" + last), sink.joined());
    }

    @Test
    void shouldTellAGapWhenTheArchiveHasLostFramesInTheMiddle() {
        long last = longStream();
        bench.archive.lose(20, 29);
        RecordingSink sink = bench.reader(1, false);
        bench.settle();
        assertEquals("1-19", sink.joined().getFirst());
        assertTrue(
                sink.joined().get(1).startsWith("gap 20-29 "),
                () -> sink.joined().toString());
        assertEquals("30-" + last, sink.joined().getLast());
    }

    @Test
    void shouldTellWhatIsDamagedFromWhatIsLost() {
        long last = longStream();
        bench.archive.damage(20, 29);
        RecordingSink sink = bench.reader(1, false);
        bench.settle();
        assertEquals(List.of("1-19", "gap 20-29 record_damaged", "30-" + last), sink.joined());
    }

    @Test
    void shouldTellAGapUpToTheWindowWhenTheArchiveCannotBeRead() {
        long last = longStream();
        bench.archive.setBroken(true);
        RecordingSink sink = bench.reader(1, false);
        bench.settle();

        assertEquals(2, sink.joined().size());
        String gap = sink.joined().getFirst();
        assertTrue(gap.matches("gap 1-\\d+ record_lost"), gap);
        long resumed = Long.parseLong(gap.replaceAll("gap 1-(\\d+) .*", "$1")) + 1;
        assertEquals(resumed + "-" + last, sink.joined().getLast());
    }

    @Test
    void shouldTellAGapToTheEndWhenNothingIsStoredAndTheMemoryIsGone() {
        Bench restarted = new Bench(Long.MAX_VALUE, 10, 40);
        RecordingSink sink = restarted.reader(1, false);
        restarted.settle();
        assertEquals(List.of("gap 1-40 record_lost"), sink.joined());
        restarted.append(41, 42);
        restarted.settle();
        assertEquals(List.of("gap 1-40 record_lost", "41-42"), sink.joined());
    }

    @Test
    void shouldReplayEverythingAndEndWhenTheStreamHasEndedAndMemoryIsReleased() {
        long last = longStream();
        bench.end();
        bench.log.release();
        RecordingSink sink = bench.reader(1, false);
        bench.settle();
        assertEquals(List.of("1-" + last, "end"), sink.joined());
    }

    @Test
    void shouldWriteNothingWhenAReaderIsClosedWhileTheArchiveReads() {
        longStream();
        RecordingSink sink = new RecordingSink();
        Subscription reader = bench.read(1, false, sink);
        reader.close();
        bench.settle();
        assertEquals(List.of(), sink.story());
    }

    @Test
    void shouldWriteNothingMoreWhenAReaderIsClosedByAPieceOfItsReplay() {
        longStream();
        RecordingSink sink = new RecordingSink();
        Subscription reader = bench.read(1, false, sink);
        sink.onWrite(reader::close);
        bench.settle();
        assertEquals(List.of("1-64"), sink.story());
    }

    @Test
    void shouldReadOnceWhenDrainedAgainDuringARead() {
        longStream();
        RecordingSink sink = new RecordingSink();
        Subscription reader = bench.read(1, false, sink);
        reader.drain();
        reader.drain();
        assertEquals(1, bench.archive.reads());
    }

    @Test
    void shouldWaitForRoomWhenTheSinkIsFullDuringAReplay() {
        longStream();
        RecordingSink sink = new RecordingSink();
        sink.allow(1);
        Subscription reader = bench.read(1, true, sink);
        bench.settle();
        assertEquals(1, bench.archive.reads());
        assertEquals(65, reader.nextSeq());
    }

    @Test
    void shouldReleaseTheMemoryOfAReplayWhenItIsWritten() {
        longStream();
        RecordingSink sink = RecordingSink.keeping();
        sink.allow(1);
        bench.read(1, false, sink);
        bench.settle();
        assertFalse(sink.isMemoryReleased());
        sink.releaseKept();
        assertTrue(sink.isMemoryReleased());
    }

    @Test
    void shouldHoldTheSourceWhenAReaderCameFromTheArchiveAndThenStalls() {
        // Scenario: after a restart a captain reads the record to its end, and waits. Its first live batch finds it
        // stalled: from there on it holds the source like any other.
        long last = longStream();
        RecordingSink captain = new RecordingSink();
        bench.read(1, true, captain);
        bench.settle();
        assertEquals(List.of("1-" + last), captain.joined());

        captain.allow(0);
        bench.stream(Bench.WINDOW + 8 * 1024);

        assertTrue(bench.paused);
    }

    @Test
    void shouldReplayAsEventsWhenABrowserComesLate() {
        longStream();
        RecordingSink sink = RecordingSink.ofEvents();
        bench.read(1, false, sink);
        bench.settle();
        assertTrue(sink.text().startsWith("id: 4h2k9x0c-1\ndata: {\"type\":\"chunk\",\"seq\":1,"));
        assertTrue(sink.text().contains("\n\nid: 4h2k9x0c-65\ndata: {\"type\":\"chunk\",\"seq\":65,"));
        bench.end();
        bench.log.release();
        assertTrue(sink.isMemoryReleased());
    }

    @Test
    void shouldHaveNoOtherTransitionsThanThese() {
        Set<String> allowed = new TreeSet<>();
        for (Subscription.State from : Subscription.State.values()) {
            for (Subscription.State to : Subscription.State.values()) {
                if (from.mayBecome(to)) {
                    allowed.add(from + "->" + to);
                }
            }
        }
        assertEquals(
                Set.of(
                        "WAITING->DRAINING",
                        "WAITING->CLOSED",
                        "DRAINING->WAITING",
                        "DRAINING->DEFERRED",
                        "DRAINING->REPLAYING",
                        "DRAINING->CLOSED",
                        "DEFERRED->WAITING",
                        "DEFERRED->CLOSED",
                        "REPLAYING->WAITING",
                        "REPLAYING->CLOSED"),
                allowed);
    }

    @Test
    void shouldGoOnWhenItsSinkThrew() {
        bench.append(1, 3);
        bench.settle();
        RecordingSink sink = new RecordingSink();
        Subscription reader = bench.log.subscribe(1, true, null, 0, sink);
        sink.onWrite(() -> {
            throw new IllegalStateException("unforeseen");
        });
        assertThrows(IllegalStateException.class, reader::drain);
        sink.onWrite(() -> {});

        bench.append(4, 6);
        bench.settle();

        assertEquals(List.of("1-3", "1-6"), sink.story(), "what was not taken comes again");
    }
}
