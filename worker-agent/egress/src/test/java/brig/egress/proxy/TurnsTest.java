package brig.egress.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.egress.policy.HostPort;
import brig.egress.rate.ManualTimers;
import brig.protocol.egress.EgressEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TurnsTest {
    private static final HostPort AT = new HostPort("model.example", 443);

    private final ManualTimers time = new ManualTimers();
    private final List<String> told = new ArrayList<>();
    private final Turns turns = new Turns(
            time,
            event -> told.add(
                    event instanceof EgressEvent.ProviderResumed resumed
                            ? "resumed after " + resumed.waitedMs()
                            : event instanceof EgressEvent.ThrottledByProvider at ? "throttled by " + at.host() : "?"));

    @Test
    void shouldNotTellOfShortWaits() {
        for (int i = 0; i < 100; i++) {
            turns.begin(AT);
            time.pass(400);
            turns.end();
            time.pass(10);
        }
        time.pass(10_000);
        assertEquals(List.of(), told);
        assertEquals(0, time.scheduled());
    }

    @Test
    void shouldTellOnceThatRequestsWaitAndThatTheyDoNoLonger() {
        turns.begin(AT);
        time.pass(500);
        assertEquals(List.of("throttled by model.example"), told);
        for (int i = 0; i < 20; i++) {
            turns.begin(AT);
            time.pass(100);
            turns.end();
        }
        turns.end();
        time.pass(900);
        turns.begin(AT);
        time.pass(50);
        turns.end();
        time.pass(999);
        assertEquals(1, told.size());
        time.pass(1_000);
        assertEquals(List.of("throttled by model.example", "resumed after 3450"), told);
        time.pass(60_000);
        assertEquals(0, time.scheduled());
    }

    @Test
    void shouldTellTheEndWhereTheWorkerEnds() {
        turns.begin(AT);
        time.pass(2_000);
        turns.close();
        turns.end();
        time.pass(10_000);
        assertEquals(List.of("throttled by model.example", "resumed after 2000"), told);
    }
}
