package brig.gateway.model;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.HandTimers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ModelSessionTest {
    private final HandTimers timers = new HandTimers();
    private final List<String> told = new ArrayList<>();
    private final EmbeddedChannel client = new EmbeddedChannel();
    private boolean over;
    private final ModelSession.Worker worker = new ModelSession.Worker() {
        @Override
        public boolean isOver() {
            return over;
        }

        @Override
        public void cancel() {
            told.add("cancel");
        }

        @Override
        public void terminate(String reason) {
            told.add("terminate " + reason);
        }
    };

    private static void hangUp(EmbeddedChannel connection) {
        var _ = connection.close();
    }

    private ModelSession talk(boolean goesOn) {
        ModelSession talk = new ModelSession(worker, timers, goesOn);
        talk.begin(client);
        return talk;
    }

    @Test
    void shouldEndTheWorkerWithTheAnswerWhereNobodyCanGoOn() {
        talk(false).handleOver();
        hangUp(client);
        assertEquals(List.of("terminate completed"), told);
        assertTrue(timers.isIdle());
    }

    @Test
    void shouldWaitForTheNextWordsForSomeMinutes() {
        ModelSession talk = talk(true);
        talk.handleOver();
        timers.pass(ModelSession.IDLE_MS - 1);
        talk.requireIdle();
        talk.begin(client);
        timers.pass(ModelSession.IDLE_MS);
        assertEquals(List.of(), told, "an answer takes as long as it takes");
        talk.handleOver();
        timers.pass(ModelSession.IDLE_MS);
        assertEquals(List.of("terminate idle"), told);
    }

    @Test
    void shouldTakeOneTurnAtATime() {
        ModelSession talk = talk(true);
        assertEquals(
                ErrorCode.INPUT_NOT_ACCEPTED,
                assertThrows(BrigException.class, talk::requireIdle).code());
        talk.handleOver();
        talk.requireIdle();
    }

    /** Scenario: the client closes while it is answered; the cancelled turn comes to its end; nobody comes again. */
    @Test
    void shouldCancelAtOnceAndEndSoonWhenTheClientGoes() {
        ModelSession talk = talk(true);
        hangUp(client);
        assertEquals(List.of("cancel"), told);
        talk.handleOver();
        timers.pass(ModelSession.GONE_MS - 1);
        assertEquals(List.of("cancel"), told);
        timers.pass(1);
        assertEquals(List.of("cancel", "terminate requested"), told);
        assertTrue(timers.isIdle());
    }

    @Test
    void shouldEndAtOnceWhenTheClientGoesAndNobodyCanGoOn() {
        ModelSession talk = talk(false);
        hangUp(client);
        talk.handleOver();
        assertEquals(List.of("cancel", "terminate requested"), told);
    }

    @Test
    void shouldEndSoonWhenTheClientGoesBetweenTurns() {
        talk(true).handleOver();
        hangUp(client);
        timers.pass(ModelSession.GONE_MS);
        assertEquals(List.of("terminate requested"), told);
    }

    /** Scenario: the next request comes over another connection, then the first one is closed. */
    @Test
    void shouldLiveByTheConnectionOfItsLastAnswer() {
        ModelSession talk = talk(true);
        talk.handleOver();
        EmbeddedChannel other = new EmbeddedChannel();
        talk.begin(other);
        hangUp(client);
        assertEquals(List.of(), told);
        talk.handleOver();
        hangUp(other);
        timers.pass(ModelSession.GONE_MS);
        assertEquals(List.of("terminate requested"), told);
    }

    @Test
    void shouldGoOnWhenTheClientComesBackInTime() {
        ModelSession talk = talk(true);
        hangUp(client);
        talk.handleOver();
        talk.begin(new EmbeddedChannel());
        timers.pass(ModelSession.GONE_MS);
        assertEquals(List.of("cancel"), told);
    }

    /** Scenario: the worker takes longer to stop than anybody waits for its client. */
    @Test
    void shouldSetNoTimerForWhatIsOver() {
        ModelSession talk = talk(true);
        hangUp(client);
        timers.pass(ModelSession.GONE_MS);
        talk.handleOver();
        assertEquals(List.of("cancel", "terminate requested"), told);
        assertTrue(timers.isIdle());
    }

    @Test
    void shouldForgetTheClientThatIsGoneWhenTheWorkerEnds() {
        ModelSession talk = talk(true);
        hangUp(client);
        over = true;
        talk.handleOver();
        assertEquals(List.of("cancel", "terminate completed"), told);
        assertTrue(timers.isIdle());
    }

    @Test
    void shouldForgetAWorkerThatEndedByItself() {
        ModelSession talk = talk(true);
        over = true;
        talk.handleOver();
        assertEquals(List.of("terminate completed"), told);
        assertTrue(timers.isIdle());
    }

    /** Scenario: the answer ends with a call; the client comes back on another connection, or never. */
    @Test
    void shouldWaitForTheResultOfACallWhateverBecomesOfTheConnection() {
        ModelSession talk = talk(false);
        talk.handleCalled("ask_1", 7, 1000);
        hangUp(client);
        assertEquals(0, talk.resumesAt("ask_2"));
        assertEquals(7, talk.resumesAt("ask_1"));
        assertThrows(BrigException.class, talk::requireIdle);
        timers.pass(999);
        talk.begin(new EmbeddedChannel());
        assertEquals(0, talk.resumesAt("ask_1"), "it is answered once");
        timers.pass(1000);
        assertEquals(List.of(), told);
        talk.handleCalled("ask_3", 9, 1000);
        timers.pass(1000);
        assertEquals(List.of("terminate idle"), told);
    }
}
