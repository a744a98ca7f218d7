package brig.workeragent.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.egress.message.EgressReport;
import brig.egress.policy.EgressPolicy;
import brig.protocol.egress.EgressEvent;
import brig.workeragent.worker.EgressSessions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EventRouterTest {
    private static final EgressEvent ASK = new EgressEvent.Ask("a.example", 443, "GET", "no rule", 60_000);
    private static final EgressEvent ANSWERED = new EgressEvent.Answered("a.example", 443, true, "allowed");

    private final List<EgressEvent> told = new ArrayList<>();
    private final EgressSession session =
            new EgressSession(true, EgressSessions.Source.of(() -> EgressPolicy.NONE), new EventList(told));
    private final EventRouter router = new EventRouter(Map.of("spn_1", session)::get);

    @Test
    void shouldTellTheSessionOfTheWorker() {
        router.handle(new EgressReport.Event("spn_1#1", ASK));
        router.handle(new EgressReport.Event("spn_1#1", ANSWERED));
        assertEquals(List.of(ASK, ANSWERED), told);
    }

    @Test
    void shouldTellTheSessionWhateverProcessOfItItWas() {
        router.handle(new EgressReport.Event("spn_1#1", ASK));
        router.handle(new EgressReport.Event("spn_1#12", ANSWERED));
        assertEquals(List.of(ASK, ANSWERED), told);
    }

    @Test
    void shouldTellNobodyOfAWorkerThatIsGone() {
        router.handle(new EgressReport.Event("spn_2#1", ASK));
        router.handle(new EgressReport.Event("spn_10#1", ASK));
        router.handle(new EgressReport.Event("", ASK));
        assertEquals(List.of(), told);
    }
}
