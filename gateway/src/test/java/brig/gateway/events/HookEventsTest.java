package brig.gateway.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import brig.protocol.api.EventPage;
import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class HookEventsTest {
    private static final String EPOCH = "4h2k9x0c";

    /** What is on disk, and what was asked to be and is not yet. */
    private final List<HookEvents.Kept> stored = new ArrayList<>();

    private final List<CompletableFuture<Void>> writing = new ArrayList<>();
    private boolean slow;
    private long firstKept;
    private HookEvents events = new HookEvents(new FakeTime(), this::store, EPOCH, List.of());

    private CompletionStage<Void> store(String epoch, HookEvents.Kept event, long kept) {
        assertEquals(EPOCH, epoch);
        CompletableFuture<Void> written = new CompletableFuture<>();
        CompletionStage<Void> answer = written.thenRun(() -> {
            stored.add(event);
            firstKept = kept;
            stored.removeIf(one -> one.seq() < kept);
        });
        writing.add(written);
        if (!slow) {
            written.complete(null);
        }
        return answer;
    }

    private CompletionStage<EventPage.Event> add(String spawnId, String sessionId, Object data) {
        return events.add("tool.after", spawnId, sessionId, JsonObject.of(Map.of("data", data)));
    }

    private List<Long> after(long seq, String session, int limit) {
        return events.after(seq, session, limit).stream()
                .map(HookEvents.Kept::seq)
                .toList();
    }

    @Test
    void shouldFindWhatCameAfterANumberOfOneSessionOrAll() {
        add("spn_a", "ses_a", 1L);
        add("spn_b", null, 2L);
        add("spn_a", "ses_a", 3L);
        assertEquals(List.of(1L, 2L, 3L), after(0, null, 10));
        assertEquals(List.of(1L, 3L), after(0, "ses_a", 10));
        assertEquals(List.of(3L), after(1, "spn_a", 10));
        assertEquals(List.of(2L), after(0, "spn_b", 10));
        assertEquals(List.of(1L), after(0, null, 1));
        assertEquals(List.of(), after(3, null, 10));
    }

    @Test
    void shouldStayWithinItsBoundsAndSayWhatIsStillThere() {
        for (int i = 0; i < HookEvents.EVENTS_MAX + 5; i++) {
            add("spn_a", null, (long) i);
        }
        assertEquals(6, events.firstSeq());
        String large = "x".repeat(1_000_000);
        for (int i = 0; i < 20; i++) {
            add("spn_a", null, large);
        }
        assertTrue(events.lastSeq() - events.firstSeq() < 9, "at most eight megabytes");
        assertEquals(HookEvents.EVENTS_MAX + 25, events.lastSeq());
        assertTrue(firstKept > HookEvents.EVENTS_MAX, "the store may forget the rest too");
        assertTrue(stored.size() < 11, () -> "kept " + stored.size());
    }

    @Test
    void shouldTellFollowersUntilTheyLeave() {
        List<Long> seen = new ArrayList<>();
        Runnable leave = events.follow(() -> seen.add(events.lastSeq()));
        add("spn_a", null, 1L);
        leave.run();
        add("spn_a", null, 2L);
        assertEquals(List.of(1L), seen);
    }

    @Test
    void shouldTellNobodyBeforeAnEventIsOnDisk() {
        slow = true;
        List<Long> seen = new ArrayList<>();
        var _ = events.follow(() -> seen.add(events.lastSeq()));
        CompletableFuture<EventPage.Event> one = add("spn_a", null, 1L).toCompletableFuture();
        CompletableFuture<EventPage.Event> two = add("spn_a", null, 2L).toCompletableFuture();
        assertFalse(one.isDone());
        assertEquals(List.of(), after(0, null, 10));
        writing.get(0).complete(null);
        assertEquals(1, one.join().seq());
        assertEquals(List.of(1L), after(0, null, 10));
        writing.get(1).complete(null);
        assertEquals(2, two.join().seq());
        assertEquals(List.of(1L, 2L), seen);
    }

    @Test
    void shouldSayNoAndNeverUseThatNumberAgainWhenItCannotBeWritten() {
        slow = true;
        CompletableFuture<EventPage.Event> lost = add("spn_a", null, 1L).toCompletableFuture();
        writing.getFirst().completeExceptionally(new IllegalStateException("disk full"));
        assertTrue(lost.isCompletedExceptionally());
        slow = false;
        add("spn_a", null, 2L);
        assertEquals(List.of(2L), after(0, null, 10));
    }

    @Test
    void shouldGoOnWhereItWasWhenItIsOpenedAgain() {
        add("spn_a", "ses_a", 1L);
        add("spn_b", null, 2L);
        events = new HookEvents(new FakeTime(), this::store, EPOCH, List.copyOf(stored));
        assertEquals(EPOCH, events.epoch());
        assertEquals(List.of(1L, 2L), after(0, null, 10));
        assertEquals(List.of(1L), after(0, "ses_a", 10));
        add("spn_a", "ses_a", 3L);
        assertEquals(List.of(3L), after(2, null, 10));
    }
}
