package brig.gateway.limits;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class LobbyTest {
    private static final int PLACES = 8;
    private static final int RESERVED = 3;
    private static final int STRANGERS = 6;
    private static final int PER_PEER = 4;

    private final FakeTime time = new FakeTime();
    private final Lobby lobby = new Lobby(
            new Lobby.Bounds(PLACES, RESERVED, STRANGERS, PER_PEER),
            new Deadlines(10_000, 8_000, 30_000, 75_000),
            time);
    private final Map<String, ErrorCode> ended = new HashMap<>();

    private Visitor stranger(String name, String peer) {
        return lobby.stranger(peer, why -> ended.put(name, why.code()));
    }

    private Visitor neighbour(String name) {
        return lobby.neighbour("uid:1000", why -> ended.put(name, why.code()));
    }

    private List<Visitor> known(int count) {
        List<Visitor> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            Visitor visitor = stranger("known " + i, "10.0.0.1");
            visitor.becomeKnown(false);
            all.add(visitor);
        }
        return all;
    }

    @ParameterizedTest
    @CsvSource({
        "OPENED, 10_000, REQUEST_TIMEOUT",
        "HEAD, 10_000, REQUEST_TIMEOUT",
        "BODY, 30_000, REQUEST_TIMEOUT",
        "ANSWER, 75_000, REQUEST_TIMEOUT",
        "IDLE, 75_000, REQUEST_TIMEOUT",
        "FIRST_LINE, 8_000, REQUEST_TIMEOUT",
        "AUTH, 8_000, AUTH_TIMEOUT"
    })
    void shouldEndAStrangerWhenItsDeadlineHasPassed(Visitor.Wait wait, String ms, ErrorCode code) {
        long deadlineMs = Long.parseLong(ms.replace("_", ""));
        // So that the next sweep is near.
        stranger("other", "b").await(Visitor.Wait.OPENED);
        time.pass(999);
        stranger("one", "a").await(wait);
        time.pass(deadlineMs - 1);
        assertFalse(ended.containsKey("one"), "it had its whole time");
        time.pass(2_001);
        assertEquals(code, ended.get("one"));
    }

    @Test
    void shouldBeginAnewWhenSomethingElseIsWaitedFor() {
        Visitor visitor = stranger("one", "a");
        visitor.await(Visitor.Wait.OPENED);
        time.pass(9_000);
        visitor.await(Visitor.Wait.HEAD);
        time.pass(9_000);
        assertEquals(Map.of(), ended);
        time.pass(3_001);
        assertEquals(Map.of("one", ErrorCode.REQUEST_TIMEOUT), ended);
    }

    @Test
    void shouldWaitForWhoIsKnownOnlyWhereThatIsItsTurn() {
        for (Visitor.Wait endless : List.of(Visitor.Wait.ANSWER, Visitor.Wait.AUTH, Visitor.Wait.NOTHING)) {
            Visitor visitor = stranger(endless.name(), "a");
            visitor.becomeKnown(false);
            visitor.await(endless);
        }
        for (Visitor.Wait bounded : List.of(Visitor.Wait.BODY, Visitor.Wait.IDLE)) {
            Visitor visitor = stranger(bounded.name(), "a");
            visitor.await(bounded);
            visitor.becomeKnown(false);
            visitor.await(bounded);
        }
        time.pass(10 * 75_000);
        assertEquals(Map.of("BODY", ErrorCode.REQUEST_TIMEOUT, "IDLE", ErrorCode.REQUEST_TIMEOUT), ended);
        assertEquals(3, lobby.places());
    }

    @Test
    void shouldGoOnWaitingForABodyWhenItsSenderBecomesKnown() {
        Visitor visitor = stranger("slow", "a");
        visitor.await(Visitor.Wait.BODY);
        visitor.becomeKnown(true);
        time.pass(33_001);
        assertEquals(Map.of("slow", ErrorCode.REQUEST_TIMEOUT), ended);
        assertEquals(0, lobby.places());
    }

    @Test
    void shouldSweepOnlyWhileSomebodyIsAwaited() {
        Visitor visitor = stranger("one", "a");
        assertEquals(0, time.pending());
        visitor.await(Visitor.Wait.AUTH);
        assertEquals(1, time.pending());
        visitor.becomeKnown(false);
        time.pass(2_000);
        assertEquals(0, time.pending());
        visitor.await(Visitor.Wait.IDLE);
        assertEquals(1, time.pending());
        visitor.leave();
        time.pass(2_000);
        assertEquals(0, time.pending());
    }

    @Test
    void shouldLetTheOldestOfAPeerGiveWayWhenThePeerOpensTooMany() {
        Visitor spoke = stranger("spoke", "a");
        spoke.becomeKnown(false);
        stranger("other", "b");
        for (int i = 0; i < PER_PEER + 2; i++) {
            stranger("a" + i, "a");
        }
        assertEquals(Map.of("a0", ErrorCode.MAX_CONNECTIONS, "a1", ErrorCode.MAX_CONNECTIONS), ended);
        assertEquals(PER_PEER + 1, lobby.strangers());
    }

    @Test
    void shouldLetTheOldestStrangerGiveWayWhenManyPeersOpenTooMany() {
        for (int i = 0; i < 100; i++) {
            stranger("s" + i, "peer " + i);
        }
        assertEquals(100 - STRANGERS, ended.size());
        assertFalse(ended.containsKey("s99"));
        assertEquals(STRANGERS, lobby.strangers());
    }

    @Test
    void shouldNotTouchNeighboursWhenStrangersFloodAndKeepEachUidToItsOwn() {
        neighbour("silent");
        for (int i = 0; i < 100; i++) {
            stranger("s" + i, "peer " + i);
        }
        assertFalse(ended.containsKey("silent"));
        for (int i = 0; i < PER_PEER; i++) {
            neighbour("n" + i);
        }
        assertEquals(ErrorCode.MAX_CONNECTIONS, ended.get("silent"));
        assertEquals(PER_PEER, lobby.places());
        assertFalse(ended.containsKey("s99"));
    }

    @Test
    void shouldKeepPlacesForNeighboursAndAdminsWhenAllOthersAreTaken() {
        List<Visitor> all = known(PLACES - RESERVED);
        Visitor late = stranger("late", "b");
        BrigException refusal = assertThrows(BrigException.class, () -> late.becomeKnown(false));
        assertEquals(ErrorCode.MAX_CONNECTIONS, refusal.code());
        assertTrue(refusal.getMessage().contains("limits.connectionsMax (8)"), refusal::getMessage);
        assertTrue(refusal.retryAfterSeconds().isPresent());
        assertEquals(1, lobby.strangers(), "a refusal changes nothing");
        late.becomeKnown(true);
        neighbour("first");
        neighbour("second");
        assertEquals(PLACES, lobby.places());
        assertThrows(BrigException.class, () -> neighbour("third"));
        assertThrows(BrigException.class, () -> stranger("admin", "c").becomeKnown(true));
        all.getFirst().leave();
        neighbour("third");
    }

    @Test
    void shouldKeepHalfOfThePlacesForAllWhenThereAreFew() {
        assertEquals(4, new Lobby.Bounds(8, 500, 1, 1).reserved());
    }

    @Test
    void shouldGiveAPlaceBackOnceHoweverAConnectionEnds() {
        List<Visitor> all = known(3);
        all.get(0).leave();
        all.get(0).leave();
        all.get(1).await(Visitor.Wait.IDLE);
        time.pass(80_000);
        all.get(1).leave();
        all.get(2).becomeKnown(false);
        assertEquals(1, lobby.places());
        all.get(2).leave();
        all.get(2).becomeKnown(false);
        assertEquals(0, lobby.places());
    }
}
