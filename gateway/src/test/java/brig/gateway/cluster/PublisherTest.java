package brig.gateway.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.stream.Frames;
import brig.gateway.stream.Loop;
import brig.gateway.stream.LoopFlush;
import brig.gateway.stream.MemoryArchive;
import brig.gateway.stream.RecordingClock;
import brig.gateway.stream.RetainedBudget;
import brig.gateway.stream.StreamLog;
import brig.gateway.telemetry.Counters;
import brig.gateway.time.FakeTime;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

class PublisherTest {
    private static final int WINDOW = 1024 * 1024;
    private static final int TOO_MANY_TO_SHOW =
            Publisher.SHOWN_BYTES_MAX / Frames.frame(1).length() + 1;

    private record Sent(Run run, long after, CompletableFuture<Long> placed) {}

    private final FakeTime time = new FakeTime();
    private final Loop loop = new Loop();
    private final StreamLog log = new StreamLog(
            "4h2k9x0c",
            0,
            new MemoryArchive(loop, loop),
            new StreamLog.Services(
                    new LoopFlush(loop),
                    new RetainedBudget(Long.MAX_VALUE),
                    new RecordingClock(time),
                    time,
                    new Counters(System::nanoTime),
                    WINDOW,
                    10));
    private final ArrayDeque<Sent> sent = new ArrayDeque<>();
    private final List<String> shown = new ArrayList<>();
    private final List<Long> acked = new ArrayList<>();
    private long position;

    private final SharedLog shared = new SharedLog() {
        @Override
        public CompletionStage<Long> append(String host, Run run, long after) {
            Sent one = new Sent(run, after, new CompletableFuture<>());
            sent.add(one);
            return one.placed;
        }

        @Override
        public CompletionStage<Optional<Placed>> last(String host, String spawnId) {
            throw new AssertionError("not asked");
        }

        @Override
        public Reading follow(String host, long after, Reader reader) {
            throw new AssertionError("not asked");
        }

        @Override
        public void show(String host, Run run) {
            long lines = new String(run.lines(), StandardCharsets.UTF_8).lines().count();
            assertEquals(run.lastSeq() - run.firstSeq() + 1, lines);
            shown.add(run.firstSeq() + "-" + run.lastSeq());
        }

        @Override
        public Reading watch(String host, Consumer<Run> watcher) {
            throw new AssertionError("not asked");
        }
    };

    PublisherTest() {
        new Publisher(
                        new Publisher.Services(shared, time, time),
                        new Publisher.Place("w1", "spn_01kdvw5v09s6yx3m8q2t7n4e", 7),
                        0,
                        acked::add,
                        () -> {},
                        () -> {})
                .start(log, 1);
    }

    private void append(int count) {
        long first = log.lastSeq() + 1;
        for (long seq = first; seq < first + count; seq++) {
            byte[] bytes = Frames.utf8(Frames.frame(seq));
            log.append(seq, bytes, 0, bytes.length);
        }
        loop.run();
    }

    /** The frames of the only run that is on its way. */
    private String onTheWay() {
        assertEquals(1, sent.size(), "runs on their way");
        Run run = sent.getFirst().run();
        return run.firstSeq() + "-" + run.lastSeq();
    }

    private void arrives() {
        sent.removeFirst().placed().complete(++position);
        loop.run();
    }

    @Test
    void shouldSendTheFirstFrameAtOnceAndWhatComesMeanwhileTogether() {
        append(1);
        assertEquals("1-1", onTheWay());
        append(1);
        append(3);
        assertEquals("1-1", onTheWay());
        arrives();
        time.pass(Publisher.SHOWN_PAUSE_MS);
        assertEquals("2-5", onTheWay());
        assertEquals(position, sent.getFirst().after());
        assertEquals(List.of(1L), acked);
    }

    @Test
    void shouldWaitForMoreFramesWhereThoseThatWaitAreShown() {
        append(1);
        arrives();
        append(1);
        time.pass(Publisher.SHOWN_PAUSE_MS - 1);
        append(1);
        assertEquals("2-3", shown.getLast());
        assertTrue(sent.isEmpty(), "more may come");
        time.pass(1);
        assertEquals("2-3", onTheWay());
    }

    @Test
    void shouldWaitForAsLongAgainAsTheLastRunTook() {
        append(1);
        time.pass(6);
        arrives();
        append(1);
        time.pass(5);
        append(TOO_MANY_TO_SHOW);
        assertTrue(sent.isEmpty(), "more may come");
        time.pass(1);
        assertEquals("2-" + (2 + TOO_MANY_TO_SHOW), onTheWay());
    }

    @Test
    void shouldNotWaitForLongAfterARunThatTookLong() {
        append(1);
        time.pass(3_000);
        arrives();
        append(TOO_MANY_TO_SHOW);
        time.pass(Publisher.PAUSE_MS_MAX - 1);
        assertTrue(sent.isEmpty());
        time.pass(1);
        assertEquals("2-" + (1 + TOO_MANY_TO_SHOW), onTheWay());
    }

    @Test
    void shouldNotWaitBeforeTheLastRun() {
        append(1);
        arrives();
        append(1);
        assertTrue(sent.isEmpty());
        log.end();
        loop.run();
        assertEquals("2-2", onTheWay());
    }

    @Test
    void shouldShowFewFramesToTheOthersUntilTheyAreDurable() {
        append(1);
        append(2);
        assertEquals(List.of("1-1", "1-3"), shown);
        assertEquals(List.of(), acked);
        arrives();
        append(1);
        assertEquals("2-4", shown.getLast());
    }

    @Test
    void shouldShowNothingWhileManyFramesWait() {
        append(1);
        append(Publisher.RUN_BYTES_MAX / Frames.frame(1).length());
        append(1);
        assertEquals(List.of("1-1"), shown);
    }

    @Test
    void shouldNotWaitWithAWholeRun() {
        append(1);
        time.pass(6);
        arrives();
        append(Publisher.RUN_BYTES_MAX / Frames.frame(1).length());
        assertEquals(2, sent.getFirst().run().firstSeq());
        assertTrue(sent.getFirst().run().lines().length <= Publisher.RUN_BYTES_MAX);
    }
}
