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

class ConnectionGuardTest {
    private static final int PLACES = 8;
    private static final int RESERVED = 3;
    private static final int STRANGERS = 6;
    private static final int PER_PEER = 4;

    private final FakeTime time = new FakeTime();
    private final ConnectionGuard connectionGuard = new ConnectionGuard(
            new ConnectionGuard.Bounds(PLACES, RESERVED, STRANGERS, PER_PEER),
            new Deadlines(10_000, 8_000, 30_000, 75_000),
            time);
    private final Map<String, ErrorCode> ended = new HashMap<>();

    private GuardedConnection unauthenticated(String name, String peer) {
        return connectionGuard.unauthenticated(peer, why -> ended.put(name, why.code()));
    }

    private GuardedConnection neighbour(String name) {
        return connectionGuard.neighbour("uid:1000", why -> ended.put(name, why.code()));
    }

    private List<GuardedConnection> known(int count) {
        List<GuardedConnection> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            GuardedConnection guarded = unauthenticated("known " + i, "10.0.0.1");
            guarded.becomeKnown(false);
            all.add(guarded);
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
    void shouldEndAnUnauthenticatedConnectionWhenItsDeadlineHasPassed(
            GuardedConnection.Wait wait, String ms, ErrorCode code) {
        long deadlineMs = Long.parseLong(ms.replace("_", ""));
        // So that the next sweep is near.
        unauthenticated("other", "b").await(GuardedConnection.Wait.OPENED);
        time.pass(999);
        unauthenticated("one", "a").await(wait);
        time.pass(deadlineMs - 1);
        assertFalse(ended.containsKey("one"), "it had its whole time");
        time.pass(2_001);
        assertEquals(code, ended.get("one"));
    }

    @Test
    void shouldBeginAnewWhenSomethingElseIsWaitedFor() {
        GuardedConnection guarded = unauthenticated("one", "a");
        guarded.await(GuardedConnection.Wait.OPENED);
        time.pass(9_000);
        guarded.await(GuardedConnection.Wait.HEAD);
        time.pass(9_000);
        assertEquals(Map.of(), ended);
        time.pass(3_001);
        assertEquals(Map.of("one", ErrorCode.REQUEST_TIMEOUT), ended);
    }

    @Test
    void shouldWaitForWhoIsKnownOnlyWhereThatIsItsTurn() {
        for (GuardedConnection.Wait endless :
                List.of(GuardedConnection.Wait.ANSWER, GuardedConnection.Wait.AUTH, GuardedConnection.Wait.NOTHING)) {
            GuardedConnection guarded = unauthenticated(endless.name(), "a");
            guarded.becomeKnown(false);
            guarded.await(endless);
        }
        for (GuardedConnection.Wait bounded : List.of(GuardedConnection.Wait.BODY, GuardedConnection.Wait.IDLE)) {
            GuardedConnection guarded = unauthenticated(bounded.name(), "a");
            guarded.await(bounded);
            guarded.becomeKnown(false);
            guarded.await(bounded);
        }
        time.pass(10 * 75_000);
        assertEquals(Map.of("BODY", ErrorCode.REQUEST_TIMEOUT, "IDLE", ErrorCode.REQUEST_TIMEOUT), ended);
        assertEquals(3, connectionGuard.places());
    }

    @Test
    void shouldGoOnWaitingForABodyWhenItsSenderBecomesKnown() {
        GuardedConnection guarded = unauthenticated("slow", "a");
        guarded.await(GuardedConnection.Wait.BODY);
        guarded.becomeKnown(true);
        time.pass(33_001);
        assertEquals(Map.of("slow", ErrorCode.REQUEST_TIMEOUT), ended);
        assertEquals(0, connectionGuard.places());
    }

    @Test
    void shouldSweepOnlyWhileSomebodyIsAwaited() {
        GuardedConnection guarded = unauthenticated("one", "a");
        assertEquals(0, time.pending());
        guarded.await(GuardedConnection.Wait.AUTH);
        assertEquals(1, time.pending());
        guarded.becomeKnown(false);
        time.pass(2_000);
        assertEquals(0, time.pending());
        guarded.await(GuardedConnection.Wait.IDLE);
        assertEquals(1, time.pending());
        guarded.leave();
        time.pass(2_000);
        assertEquals(0, time.pending());
    }

    @Test
    void shouldLetTheOldestOfAPeerGiveWayWhenThePeerOpensTooMany() {
        GuardedConnection spoke = unauthenticated("spoke", "a");
        spoke.becomeKnown(false);
        unauthenticated("other", "b");
        for (int i = 0; i < PER_PEER + 2; i++) {
            unauthenticated("a" + i, "a");
        }
        assertEquals(Map.of("a0", ErrorCode.MAX_CONNECTIONS, "a1", ErrorCode.MAX_CONNECTIONS), ended);
        assertEquals(PER_PEER + 1, connectionGuard.unauthenticated());
    }

    @Test
    void shouldLetTheOldestStrangerGiveWayWhenManyPeersOpenTooMany() {
        for (int i = 0; i < 100; i++) {
            unauthenticated("s" + i, "peer " + i);
        }
        assertEquals(100 - STRANGERS, ended.size());
        assertFalse(ended.containsKey("s99"));
        assertEquals(STRANGERS, connectionGuard.unauthenticated());
    }

    @Test
    void shouldNotTouchNeighboursWhenStrangersFloodAndKeepEachUidToItsOwn() {
        neighbour("silent");
        for (int i = 0; i < 100; i++) {
            unauthenticated("s" + i, "peer " + i);
        }
        assertFalse(ended.containsKey("silent"));
        for (int i = 0; i < PER_PEER; i++) {
            neighbour("n" + i);
        }
        assertEquals(ErrorCode.MAX_CONNECTIONS, ended.get("silent"));
        assertEquals(PER_PEER, connectionGuard.places());
        assertFalse(ended.containsKey("s99"));
    }

    @Test
    void shouldKeepPlacesForNeighboursAndAdminsWhenAllOthersAreTaken() {
        List<GuardedConnection> all = known(PLACES - RESERVED);
        GuardedConnection late = unauthenticated("late", "b");
        BrigException refusal = assertThrows(BrigException.class, () -> late.becomeKnown(false));
        assertEquals(ErrorCode.MAX_CONNECTIONS, refusal.code());
        assertTrue(refusal.getMessage().contains("limits.connectionsMax (8)"), refusal::getMessage);
        assertTrue(refusal.retryAfterSeconds().isPresent());
        assertEquals(1, connectionGuard.unauthenticated(), "a refusal changes nothing");
        late.becomeKnown(true);
        neighbour("first");
        neighbour("second");
        assertEquals(PLACES, connectionGuard.places());
        assertThrows(BrigException.class, () -> neighbour("third"));
        assertThrows(BrigException.class, () -> unauthenticated("admin", "c").becomeKnown(true));
        all.getFirst().leave();
        neighbour("third");
    }

    @Test
    void shouldKeepHalfOfThePlacesForAllWhenThereAreFew() {
        assertEquals(4, new ConnectionGuard.Bounds(8, 500, 1, 1).reserved());
    }

    @Test
    void shouldGiveAPlaceBackOnceHoweverAConnectionEnds() {
        List<GuardedConnection> all = known(3);
        all.get(0).leave();
        all.get(0).leave();
        all.get(1).await(GuardedConnection.Wait.IDLE);
        time.pass(80_000);
        all.get(1).leave();
        all.get(2).becomeKnown(false);
        assertEquals(1, connectionGuard.places());
        all.get(2).leave();
        all.get(2).becomeKnown(false);
        assertEquals(0, connectionGuard.places());
    }
}
