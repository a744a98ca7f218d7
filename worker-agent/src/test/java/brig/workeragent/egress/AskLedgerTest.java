package brig.workeragent.egress;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.egress.policy.HostPattern;
import brig.egress.policy.HostPort;
import brig.protocol.egress.EgressEvent;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class AskLedgerTest {
    private long nowMs = 1_000;
    private final AskLedger ledger = new AskLedger(() -> Instant.ofEpochMilli(nowMs));

    private void ask(String host, int port, long waitsMs) {
        ledger.handleAsk(new EgressEvent.Ask(host, port, "GET", "no rule", waitsMs));
    }

    private List<String> open() {
        return ledger.open().stream()
                .map(ask -> new HostPort(ask.host(), (int) ask.port()) + " " + ask.deadlineMs())
                .toList();
    }

    @Test
    void shouldListTheMostUrgentFirstUntilItsDeadline() {
        ask("a.example", 443, 60);
        ask("::1", 80, 50);
        assertEquals(List.of("[::1]:80 1050", "a.example:443 1060"), open());
        nowMs = 1_051;
        assertEquals(List.of("a.example:443 1060"), open());
        ask("a.example", 443, 60);
        assertEquals(List.of("a.example:443 1111"), open(), "asked anew");
    }

    @Test
    void shouldForgetWhatIsAnswered() {
        ask("a.example", 443, 60);
        ask("a.example", 80, 60);
        ask("b.example", 443, 60);
        ledger.handleAnswered(new HostPort("b.example", 443));
        assertEquals(2, open().size());
        ledger.handleDecided(HostPattern.parse("a.example:80"));
        assertEquals(List.of("a.example:443 1060"), open());
        ledger.clear();
        assertEquals(List.of(), open());
    }

    @Test
    void shouldListSoManyAndNoMoreAndMakeRoomForNewOnes() {
        for (int i = 0; i < 70; i++) {
            ask("h" + i + ".example", 443, 10);
        }
        assertEquals(64, open().size());
        nowMs = 1_011;
        ask("late.example", 443, 10);
        assertEquals(List.of("late.example:443 1021"), open());
    }
}
