package brig.workeragent.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.control.AnswerChoice;
import brig.protocol.frame.Frame;
import brig.workeragent.pump.Outbox;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoginAsksTest {
    private static final long WAIT_MS = 60_000;

    private final FakeTimers timers = new FakeTimers();
    private final Outbox outbox = new Outbox(100_000);
    private final OpenAsks asks = new OpenAsks("spn_1", outbox, timers, WAIT_MS);
    private final List<String> done = new ArrayList<>();
    private final LoginAsks logins = new LoginAsks(asks, WAIT_MS, () -> done.add("tried"), () -> done.add("ended"));

    private void ask() {
        logins.ask("BRIG_LOGIN", "claude", "brig login claude", "the vendor refuses this login (invalid_grant)");
    }

    private String open() {
        return asks.list().getFirst().askId();
    }

    private static AnswerChoice choice(String option) {
        return new AnswerChoice(option, null, "uid:7", "http", false);
    }

    @Test
    void shouldAskOnceUntilAPersonAnswers() {
        ask();
        ask();
        assertEquals(List.of("BRIG_LOGIN"), logins.asked());
        Frame.Ask ask = asks.list().getFirst();
        assertEquals(Frame.Ask.Kind.LOGIN, ask.kind());
        assertTrue(ask.title().contains("'brig login claude'"), ask::title);
        assertEquals("go_on|end", ask.choices());
        asks.answer(ask.askId(), choice("go_on"));
        assertEquals(List.of(), logins.asked());
        assertEquals(List.of("tried"), done);
        ask();
        asks.answer(open(), choice("end"));
        assertEquals(List.of("tried", "ended", "tried"), done);
    }

    @Test
    void shouldGoOnAtTheDeadlineAndWhenTheTurnIsCancelled() {
        ask();
        timers.advance(WAIT_MS);
        assertEquals(List.of(), logins.asked());
        assertEquals(List.of("tried"), done);
        ask();
        asks.endAll(true);
        assertEquals(List.of("tried", "tried"), done);
    }

    @Test
    void shouldSettleTheAskByItselfWhenTheLoginIsGoodAgain() throws InterruptedException {
        ask();
        FrameTail tail = new FrameTail(outbox);
        tail.next();
        logins.handleBack("OTHER");
        assertEquals(1, asks.list().size());
        logins.handleBack("BRIG_LOGIN");
        assertEquals(List.of(), asks.list());
        assertEquals(
                "{type=answered, ask_id=ID, option=go_on, reason=policy}",
                tail.next().replaceAll("ask_[0-9a-z]{24}", "ID"));
        assertEquals(List.of(), done);
    }
}
