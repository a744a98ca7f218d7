package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.gateway.time.FakeTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class HookEventsTest {
    private final HookEvents events = new HookEvents(new FakeTime());

    private HookEvents.Event add(String spawnId, String sessionId, Object data) {
        return events.add(new HookEvents.Report("tool.after", spawnId, sessionId, Map.of("data", data)));
    }

    private List<Long> after(long seq, String session, int limit) {
        return events.after(seq, session, limit).stream().map(HookEvents.Event::seq).toList();
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
}
