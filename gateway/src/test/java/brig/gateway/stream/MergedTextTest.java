package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Limits;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import io.netty.buffer.PooledByteBufAllocator;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Readers that take text merged within 50 ms. Frames are written as {@code 3-7 x}: their numbers and content. */
class MergedTextTest {
    private static final long MS = 50;

    private final Bench bench = new Bench().record();
    private long nowMs = 1_767_225_600_000L;

    private static Frame text(String agent, String content) {
        return new Frame.Chunk(agent.isEmpty() ? null : agent, null, Frame.Chunk.Channel.TEXT, content);
    }

    private void append(Frame frame) {
        long seq = bench.log.lastSeq() + 1;
        bench.append(seq, new String(Json.writeLine(new NumberedFrame(seq, nowMs, frame)), StandardCharsets.UTF_8));
        bench.settle();
    }

    private void say(String... contents) {
        for (String content : contents) {
            append(text("", content));
        }
    }

    private void pass(long ms) {
        nowMs += ms;
        bench.timers.pass(ms);
        bench.settle();
    }

    private Subscription read(long from, boolean tethered, RecordingSink sink) {
        Subscription reader = bench.log.subscribe(from, tethered, null, MS, sink);
        reader.drain();
        bench.settle();
        return reader;
    }

    private RecordingSink reader(long from) {
        RecordingSink sink = new RecordingSink();
        read(from, false, sink);
        return sink;
    }

    private static List<String> frames(RecordingSink sink) {
        List<String> frames = new ArrayList<>();
        for (String line : sink.text().lines().toList()) {
            NumberedFrame frame =
                    JsonObject.read(line.getBytes(StandardCharsets.UTF_8)).as(NumberedFrame.class);
            String says = frame.frame() instanceof Frame.Chunk chunk
                    ? (chunk.agent() == null ? "" : chunk.agent() + ":") + chunk.content()
                    : frame.type();
            frames.add((frame.from() == 0 ? "" : frame.from() + "-") + frame.seq() + " " + says);
        }
        return frames;
    }

    @Test
    void shouldGiveTheFirstTextAtOnceAndMergeWhatFollowsWithinTheTime() {
        RecordingSink sink = reader(1);
        say("a");
        assertEquals(List.of("1 a"), frames(sink), "nothing came before");
        pass(10);
        say("b", "c");
        pass(39);
        assertEquals(1, sink.writes());
        pass(1);
        assertEquals(List.of("1 a", "2-3 bc"), frames(sink));
        pass(20);
        say("d");
        pass(30);
        assertEquals(List.of("1 a", "2-3 bc", "4 d"), frames(sink), "one alone is as it was");
        assertTrue(sink.text().contains("\"seq\":4,\"ts\":"));
        pass(50);
        assertTrue(bench.timers.isIdle(), "silence costs nothing");
        say("e");
        assertEquals("5 e", frames(sink).getLast(), "after a silence");
    }

    @Test
    void shouldGiveTheSameBytesWithoutTheOption() {
        RecordingSink plain = bench.reader(1, false);
        reader(1);
        say("a", "b", "c");
        assertEquals(List.of("1 a", "2 b", "3 c"), frames(plain));
        assertEquals(3, plain.writes(), "without a wait");
    }

    @Test
    void shouldGiveEverythingInOrderAtOnceWhenAnotherFrameComes() {
        RecordingSink sink = reader(1);
        say("a", "b", "c");
        append(new Frame.Done(0, null, null, null));
        assertEquals(List.of("1 a", "2-3 bc", "4 done"), frames(sink));
        say("d");
        assertEquals("5 d", frames(sink).getLast(), "the first text after another frame does not wait");
        assertEquals(3, sink.writes());
    }

    @Test
    void shouldKeepTextOfSubAgentsAndStreamsApartAndInOrder() {
        RecordingSink sink = reader(1);
        say("-");
        append(text("x", "1"));
        append(text("x", "2"));
        append(text("y", "3"));
        append(text("x", "4"));
        append(new Frame.Chunk("x", null, Frame.Chunk.Channel.THOUGHT, "5"));
        append(new Frame.Chunk("x", "call", Frame.Chunk.Channel.STDOUT, "6"));
        say("7", "8");
        assertEquals(1, sink.writes());
        pass(MS);
        assertEquals(List.of("1 -", "2-3 x:12", "4 y:3", "5 x:4", "6 x:5", "7 x:6", "8-9 78"), frames(sink));
        assertEquals(2, sink.writes(), "one write for all");
    }

    @Test
    void shouldMergeOneAgentsTextOverFramesThatWereNotAskedFor() {
        RecordingSink sink = new RecordingSink();
        bench.log.subscribe(1, false, AgentFilter.read("x"), MS, sink).drain();
        for (String agent : List.of("x", "y", "x", "", "x", "y")) {
            append(text(agent, "."));
        }
        pass(MS);
        assertEquals(List.of("1 x:.", "3-5 x:.."), frames(sink));
        append(text("y", "."));
        pass(MS);
        assertEquals(2, sink.writes(), "nothing for it");
    }

    @Test
    void shouldResumeExactlyInTheMiddleOfARange() {
        say("a", "b", "c", "d", "e");
        assertEquals(List.of("1-5 abcde"), frames(reader(1)));
        assertEquals(List.of("3-5 cde"), frames(reader(3)));
        assertEquals(List.of("5 e"), frames(reader(5)));
        assertEquals(List.of(), frames(reader(6)));
    }

    @Test
    void shouldHaveThePositionBehindWhatWasWrittenAndNothingElse() {
        // Scenario: the connection is lost while text waits for it.
        RecordingSink sink = new RecordingSink();
        Subscription reader = read(1, true, sink);
        say("a", "b", "c");
        assertEquals(2, reader.nextSeq());
        reader.close();
        pass(MS);
        assertEquals(List.of("1 a"), frames(sink));
        assertTrue(bench.timers.isIdle(), "nobody waits for it");
        assertEquals(List.of("2-3 bc"), frames(reader(reader.nextSeq())));
    }

    @Test
    void shouldNameTheLastFrameAsPositionOfTheEvent() {
        say("a", "b");
        RecordingSink sink = RecordingSink.ofEvents();
        read(1, false, sink);
        assertTrue(
                sink.text().startsWith("id: " + Bench.EPOCH + "-2\ndata: {\"type\":\"chunk\",\"seq\":2,\"from\":1,"));
        assertTrue(sink.text().endsWith("\"content\":\"ab\"}\n\n"), sink.text());
        assertTrue(sink.isMemoryReleased());
    }

    @Test
    void shouldMergeWhatIsReadLaterByTheTimesAtWhichItWasWritten() {
        for (int i = 0; i < 10; i++) {
            say(String.valueOf(i));
            pass(20);
        }
        assertEquals(List.of("1-3 012", "4-6 345", "7-9 678", "10 9"), frames(reader(1)));
    }

    @Test
    void shouldReadTheArchiveMergedAndGoOnLive() {
        say("a".repeat(1000));
        while (bench.log.segmentAt(1) == bench.log.segmentAt(bench.log.lastSeq()) || bench.log.offsetOf(1) >= 0) {
            say("a".repeat(1000));
        }
        RecordingSink sink = reader(1);
        say("b");
        pass(MS);
        StringBuilder all = new StringBuilder();
        long next = 1;
        for (String line : sink.text().lines().toList()) {
            NumberedFrame frame =
                    JsonObject.read(line.getBytes(StandardCharsets.UTF_8)).as(NumberedFrame.class);
            assertEquals(next, frame.firstSeq());
            assertTrue(line.length() < Limits.FRAME_BYTES_MAX, "bounded");
            next = frame.seq() + 1;
            all.append(frame.frame() instanceof Frame.Chunk chunk ? chunk.content() : "");
        }
        assertEquals(bench.log.lastSeq() + 1, next);
        assertEquals("a".repeat(1000 * ((int) next - 2)) + "b", all.toString());
        assertTrue(sink.text().lines().count() < next / 20, "merged");
    }

    @Test
    void shouldMakeNoFrameThatIsTooLong() {
        // Scenario: a piece of the record has more than fits into one frame.
        StringBuilder lines = new StringBuilder();
        String third = "x".repeat(Limits.FRAME_BYTES_MAX / 3 - 100);
        for (long seq = 1; seq <= 4; seq++) {
            lines.append(
                    new String(Json.writeLine(new NumberedFrame(seq, nowMs, text("", third))), StandardCharsets.UTF_8));
        }
        Segment piece = Segment.ofLines(PooledByteBufAllocator.DEFAULT, Bench.EPOCH, 1, Frames.utf8(lines.toString()));
        RecordingSink sink = new RecordingSink();
        new TextMerger(MS, null)
                .merge(piece.batch(1, Integer.MAX_VALUE / 2), PooledByteBufAllocator.DEFAULT, Bench.EPOCH, sink::write);
        piece.release();
        assertEquals(List.of("1-3 " + third.repeat(3), "4 " + third), frames(sink));
        assertTrue(sink.isMemoryReleased());
    }

    @Test
    void shouldNotWaitWithMoreThanTheBound() {
        RecordingSink sink = reader(1);
        say("-");
        while (sink.writes() == 1) {
            say("x".repeat(100));
        }
        long bytes = sink.text().length();
        assertTrue(bytes > Pace.WAITING_BYTES_MAX / 2 && bytes < Pace.WAITING_BYTES_MAX, () -> "" + bytes);
        assertTrue(frames(sink).get(1).startsWith("2-"));
        assertTrue(frames(sink).getLast().contains("-" + bench.log.lastSeq() + " "), "all of it, from both segments");
    }

    @Test
    void shouldKeepWhatASlowReaderCannotTakeAndPauseTheWorkerForIt() {
        RecordingSink sink = new RecordingSink();
        Subscription captain = read(1, true, sink);
        say("a", "b");
        sink.allow(0);
        pass(MS);
        assertEquals(List.of("1 a"), frames(sink));
        while (!bench.paused) {
            say("x".repeat(1000));
        }
        assertEquals(2, captain.nextSeq());
        sink.allow(Long.MAX_VALUE);
        captain.drain();
        bench.settle();
        assertEquals(0, captain.pendingBytes());
        assertTrue(!bench.paused);
        assertTrue(frames(sink).get(1).startsWith("2-"));
        assertTrue(frames(sink).get(1).contains(" bxxx"));
    }

    @Test
    void shouldGiveWhatWaitsBeforeTheEnd() {
        RecordingSink sink = reader(1);
        say("a", "b", "c");
        bench.end();
        assertEquals(List.of("1 a", "2-3 bc"), frames(sink));
        assertTrue(sink.isEnded());
        assertTrue(bench.timers.isIdle());
    }

    @Test
    void shouldTellOfAGapAtItsPlaceWhileTextWaits() {
        RecordingSink sink = reader(1);
        say("a", "b", "c");
        assertEquals(1, sink.writes());
        // The source lost 4 and 5.
        bench.append(6, new String(Json.writeLine(new NumberedFrame(6, nowMs, text("", "f"))), StandardCharsets.UTF_8));
        bench.settle();
        assertEquals(List.of("1 a", "2-3 bc", "6 f"), frames(sink));
        assertEquals(List.of("1-1", "2-3", "gap 4-5 record_lost", "6-6"), sink.story());
    }

    @Test
    void shouldTellOfAGapWhereWaitingTextWasLostToASlowReader() {
        Bench unrecorded = new Bench();
        RecordingSink sink = new RecordingSink();
        Subscription reader = unrecorded.log.subscribe(1, false, null, MS, sink);
        unrecorded.append(1, 3);
        reader.drain();
        assertEquals(List.of("1-3"), sink.joined());
        unrecorded.append(4, 5);
        sink.allow(0);
        unrecorded.stream(2 * Bench.WINDOW);
        sink.allow(Long.MAX_VALUE);
        reader.drain();
        unrecorded.settle();
        assertTrue(
                sink.joined().get(1).startsWith("gap 4-"), () -> sink.joined().toString());
        assertEquals(unrecorded.log.lastSeq() + 1, reader.nextSeq());
    }

    @Test
    void shouldTakeUpNumbersThatTheSourceGivesAnew() {
        // Scenario: a reader waits behind frames that the worker-agent turns out not to have.
        bench.log.expectAny();
        RecordingSink sink = new RecordingSink();
        Subscription reader = read(5, false, sink);
        bench.log.expect(0);
        say("a", "b");
        pass(MS);
        assertEquals(List.of("1 a", "2 b"), frames(sink));
        assertEquals(3, reader.nextSeq());
    }
}
