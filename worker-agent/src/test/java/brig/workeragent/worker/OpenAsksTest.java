package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.adapter.Asks.Reply;
import brig.formats.adapter.Asks.Request;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.AnswerChoice;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import brig.protocol.json.JsonObject;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.WaitingReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class OpenAsksTest {
    private static final long WAIT_MS = 60_000;

    private final Outbox outbox = new Outbox(64L * 1024 * 1024);
    private final FakeTimers timers = new FakeTimers();
    private final OpenAsks asks = new OpenAsks("spn_1", outbox, timers, WAIT_MS);
    private final List<Reply> replies = new ArrayList<>();

    private static Request request(String nativeId, Object detail) {
        return new Request(
                Frame.Ask.Kind.TOOL,
                null,
                nativeId,
                "t1",
                "Bash",
                detail,
                List.of(new Frame.Ask.Option("allow", "Allow"), new Frame.Ask.Option("deny", "Deny")),
                false,
                "deny");
    }

    private String ask(String nativeId) throws InterruptedException, IOException {
        asks.open(request(nativeId, JsonObject.EMPTY.with("command", "ls")), replies::add);
        return asks.list().getLast().askId();
    }

    private static AnswerChoice choice(String option) {
        return new AnswerChoice(option, null, "uid:0", "unix");
    }

    /** All frames so far. */
    private List<Frame> frames() throws InterruptedException, IOException {
        List<Frame> frames = new ArrayList<>();
        try (WaitingReader reader = WaitingReader.open(outbox, 1)) {
            StringBuilder text = new StringBuilder();
            while (frames.size() < outbox.lastSeq()) {
                for (ByteBuffer part : reader.take()) {
                    text.append(StandardCharsets.UTF_8.decode(part));
                }
                frames.clear();
                text.toString()
                        .lines()
                        .map(line -> Json.read(line.getBytes(StandardCharsets.UTF_8), NumberedFrame.class)
                                .frame())
                        .forEach(frames::add);
            }
        }
        return frames;
    }

    @Test
    void shouldGiveTheFirstAnswerAndRefuseTheSecondWithWhoAndWhen() throws InterruptedException, IOException {
        String id = ask("r1");
        asks.answer(id, choice("allow"));
        BrigException late = assertThrows(BrigException.class, () -> asks.answer(id, choice("deny")));
        assertEquals(ErrorCode.ASK_SETTLED, late.code());
        assertEquals("uid:0 answered it over unix at 1970-01-01T00:00:01Z: allow", late.getMessage());
        assertEquals(List.of(new Reply("allow", null)), replies);
        assertEquals(
                new Frame.Answered(id, "allow", null, "uid:0", "unix", Frame.Answered.Reason.PERSON),
                frames().getLast());
        assertEquals(0, timers.waiting());
    }

    @Test
    void shouldGiveTheDefaultAtTheDeadlineWithoutAReader() throws InterruptedException, IOException {
        String id = ask("r1");
        timers.advance(WAIT_MS);
        assertEquals(List.of(new Reply("deny", null)), replies);
        assertEquals(
                new Frame.Answered(id, "deny", null, null, null, Frame.Answered.Reason.DEADLINE), frames().getLast());
    }

    @Test
    void shouldLetExactlyOneOfTwoAnswersWin() throws Exception {
        for (int round = 0; round < 1000; round++) {
            String id = ask("r" + round);
            AtomicInteger refused = new AtomicInteger();
            CyclicBarrier start = new CyclicBarrier(2);
            List<Thread> people = List.of("allow", "deny").stream()
                    .map(option -> Thread.ofVirtual().start(() -> {
                        try {
                            start.await();
                            asks.answer(id, choice(option));
                        } catch (BrigException settled) {
                            refused.addAndGet(settled.code() == ErrorCode.ASK_SETTLED ? 1 : 100);
                        } catch (Exception e) {
                            throw new IllegalStateException(e);
                        }
                    }))
                    .toList();
            for (Thread person : people) {
                person.join();
            }
            assertEquals(1, refused.get(), "round " + round);
        }
        assertEquals(1000, replies.size());
    }

    @Test
    void shouldRefuseAnOptionThatWasNotOfferedAndAnUnwantedText() throws InterruptedException, IOException {
        String id = ask("r1");
        for (AnswerChoice wrong : List.of(choice("always"), new AnswerChoice(null, "do it", "uid:0", "unix"))) {
            assertEquals(
                    ErrorCode.INVALID_FIELD,
                    assertThrows(BrigException.class, () -> asks.answer(id, wrong))
                            .code());
        }
        assertEquals(
                ErrorCode.NOT_FOUND,
                assertThrows(BrigException.class, () -> asks.answer("ask_000000000000000000000000", choice("allow")))
                        .code());
        assertEquals(1, asks.list().size());
        assertEquals(List.of(), replies);
    }

    @Test
    void shouldBoundTheOpenAsksAndSayWhatTheRestGot() throws InterruptedException, IOException {
        for (int i = 0; i < 10_000; i++) {
            asks.open(request("r" + i, null), replies::add);
            outbox.ack(outbox.lastSeq() - 1);
        }
        assertEquals(OpenAsks.OPEN_MAX, asks.list().size());
        assertEquals("r0", asks.list().getFirst().nativeId());
        assertEquals(10_000 - OpenAsks.OPEN_MAX, replies.size());
        assertTrue(frames(outbox.lastSeq()) instanceof Frame.Failure failure
                && failure.code().equals("MAX_ASKS")
                && failure.error().endsWith("got the answer 'deny'"));
    }

    private Frame frames(long from) throws InterruptedException, IOException {
        try (WaitingReader reader = WaitingReader.open(outbox, from)) {
            ByteBuffer bytes = reader.take().getLast();
            return Json.read(
                            StandardCharsets.UTF_8
                                    .decode(bytes)
                                    .toString()
                                    .strip()
                                    .getBytes(StandardCharsets.UTF_8),
                            NumberedFrame.class)
                    .frame();
        }
    }

    @Test
    void shouldAnswerASecondRequestUnderAnOpenIdAtOnce() throws InterruptedException, IOException {
        String id = ask("r1");
        asks.open(request("r1", null), replies::add);
        assertEquals(List.of(new Reply("deny", null)), replies);
        assertEquals(List.of(id), asks.list().stream().map(Frame.Ask::askId).toList());
    }

    @Test
    void shouldShortenWhatIsTooLong() throws InterruptedException, IOException {
        asks.open(
                new Request(
                        Frame.Ask.Kind.TOOL,
                        "a".repeat(10_000),
                        "n".repeat(10_000),
                        null,
                        "\u001b]0;x\u0007".repeat(1 << 18),
                        JsonObject.EMPTY.with("command", "\u0001".repeat(1 << 20)),
                        List.of(new Frame.Ask.Option("deny", "Deny")),
                        false,
                        "deny"),
                replies::add);
        byte[] kept = Json.write(asks.list().getFirst());
        assertTrue(kept.length < OpenAsks.DETAIL_BYTES_MAX + 4096, "bytes: " + kept.length);
        assertEquals(1, frames().size());
    }

    @Test
    void shouldSettleWithoutAnAnswerWhatTheAgentWithdraws() throws InterruptedException, IOException {
        String id = ask("r1");
        asks.withdraw("r1");
        asks.withdraw("r1");
        assertEquals(List.of(), replies);
        assertEquals(
                new Frame.Answered(id, null, null, null, null, Frame.Answered.Reason.WITHDRAWN), frames().getLast());
        assertEquals(2, frames().size());
    }

    @Test
    void shouldAnswerAllWhenTheTurnIsCancelledAndNoneWhenTheProcessEnded() throws InterruptedException, IOException {
        ask("r1");
        asks.endAll(true);
        assertEquals(List.of(new Reply("deny", null)), replies);
        ask("r2");
        asks.endAll(false);
        assertEquals(1, replies.size());
        assertEquals(List.of(), asks.list());
        assertTrue(frames().getLast() instanceof Frame.Answered answered
                && answered.reason() == Frame.Answered.Reason.ENDED);
    }
}
