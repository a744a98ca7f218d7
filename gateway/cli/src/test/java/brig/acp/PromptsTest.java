package brig.acp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.acp.Prompts.Failed;
import brig.acp.Prompts.Stopped;
import brig.acp.message.PromptEnded.StopReason;
import brig.captain.RpcException;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.json.JsonObject;
import java.io.ByteArrayOutputStream;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class PromptsTest {
    private static final Stopped DONE = new Stopped(StopReason.END_TURN, null);
    private final RpcException lost = RpcException.failed("lost", null);

    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final Prompts prompts = new Prompts(new EditorRpc(out, sentence -> {}), this::stop);
    private boolean connected = true;
    private int stops;

    private void stop() {
        if (!connected) {
            throw new BrigException(ErrorCode.SHUTTING_DOWN, "lost");
        }
        stops++;
    }

    private void add(String name, long request) {
        prompts.add(name, request, () -> {});
    }

    /** What the editor was answered, as its request and why the turn stopped or failed. */
    private List<String> answers() {
        return out.toString(UTF_8)
                .lines()
                .map(line -> JsonObject.read(line.getBytes(UTF_8)))
                .map(line -> line.number("id", 0) + " "
                        + (line.has("error")
                                ? line.object("error").text("message", "")
                                : line.object("result").text("stopReason", "")))
                .toList();
    }

    @BeforeEach
    void shouldBeIdleAtFirst() {
        assertFalse(prompts.isBusy());
    }

    @Test
    void shouldAnswerEachPromptWhenItsOwnTurnIsOver() {
        add("a", 1);
        add("b", 2);
        assertFalse(prompts.begin("theirs"));
        prompts.end(DONE);
        assertTrue(prompts.begin("a"));
        prompts.end(DONE);
        assertTrue(prompts.begin("b"));
        prompts.end(new Failed(lost));
        assertEquals(List.of("1 end_turn", "2 lost"), answers());
        assertFalse(prompts.isBusy());
    }

    @Test
    void shouldStopATurnThatIsCancelledAndAnswerAtItsEnd() {
        add("a", 1);
        prompts.begin("a");
        prompts.cancel(1L);
        assertEquals(1, stops);
        assertEquals(List.of(), answers());
        prompts.end(new Failed(lost));
        assertEquals(List.of("1 cancelled"), answers(), "one that was cancelled did not fail");
    }

    @Test
    void shouldAnswerAtOnceWhereTheTurnHasNotComeAndStopItThen() {
        add("a", 1);
        prompts.cancel(1L);
        prompts.cancel(1L);
        assertEquals(List.of("1 cancelled"), answers(), "once");
        assertEquals(0, stops);
        assertTrue(prompts.isBusy());
        prompts.begin("a");
        assertEquals(1, stops);
        prompts.end(DONE);
        assertEquals(1, answers().size());
        assertFalse(prompts.isBusy());
    }

    @Test
    void shouldStopWhatAnybodyAskedForWhereItAskedForNothingItself() {
        prompts.begin("theirs");
        prompts.cancel();
        assertEquals(1, stops);
        add("a", 1);
        prompts.cancel();
        assertEquals(1, stops, "the turn is not this editor's");
        assertEquals(List.of("1 cancelled"), answers());
    }

    @Test
    void shouldSayLaterWhatNobodyHeard() {
        add("a", 1);
        prompts.begin("a");
        connected = false;
        prompts.cancel();
        connected = true;
        assertTrue(prompts.resume(() -> true));
        assertEquals(1, stops);
        assertTrue(prompts.resume(() -> true));
        assertEquals(1, stops, "once");
    }

    @Test
    void shouldKeepTheTurnThatIsUnderWayWhereTheConnectionIsLost() {
        add("a", 1);
        add("b", 2);
        prompts.begin("a");
        prompts.failWaiting(lost);
        assertEquals(List.of("2 lost"), answers());
        prompts.end(DONE);
        assertEquals(List.of("2 lost", "1 end_turn"), answers());
    }

    @Test
    void shouldLoseTheTurnWithItsStreamAndNotWhatComesThen() {
        add("a", 1);
        prompts.begin("a");
        assertTrue(prompts.restart(
                () -> {
                    assertEquals(List.of(), answers(), "what the editor asks next finds the new connection");
                    return true;
                },
                lost));
        assertEquals(List.of("1 lost"), answers());
        add("b", 2);
        prompts.end(DONE);
        assertTrue(prompts.isBusy(), "that was not its turn");
    }

    @Test
    void shouldTakeNoPromptThatCouldNotBeSent() {
        BrigException broken = new BrigException(ErrorCode.SHUTTING_DOWN, "lost");
        assertThrows(
                BrigException.class,
                () -> prompts.add("a", 1L, () -> {
                    throw broken;
                }));
        assertFalse(prompts.isBusy());
    }

    @Test
    void shouldTakeNoPromptWhenTheSessionHasEnded() {
        add("a", 1);
        prompts.finish(lost);
        assertEquals(List.of("1 lost"), answers());
        assertEquals(
                ErrorCode.SESSION_ENDED,
                assertThrows(BrigException.class, () -> add("b", 2)).code());
        assertFalse(prompts.takesMore());
    }

    @Test
    void shouldCancelWhatWaitsWhenTheEditorLeaves() {
        add("a", 1);
        add("b", 2);
        prompts.begin("a");
        prompts.close();
        assertEquals(List.of("1 cancelled", "2 cancelled"), answers());
    }

    @Test
    void shouldAnswerTheOneThatIsRefused() {
        add("a", 1);
        assertTrue(prompts.refuse("a", lost));
        assertFalse(prompts.refuse("a", lost));
        assertEquals(List.of("1 lost"), answers());
    }
}
