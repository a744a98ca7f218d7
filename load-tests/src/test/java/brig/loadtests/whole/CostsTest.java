package brig.loadtests.whole;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.loadtests.whole.Costs.Cost;
import java.util.Map;
import org.junit.jupiter.api.Test;

class CostsTest {
    private static final String STAT = "4711 (a (b) c) S 1 4711 4711 0 -1 4194560 100 0 0 0 200 40 50 10 20 0 7 0 1000"
            + " 1000000 500 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0";

    @Test
    void shouldReadTimesAndThreadsBehindANameWithBrackets() {
        assertEquals(new Cost(1, 3.0, 4096, 7), Costs.parse(STAT, 4096));
    }

    @Test
    void shouldLeaveOutAgentsInTheCostOfBrig() {
        Costs before = new Costs(Map.of(Role.GATEWAY, new Cost(1, 1, 0, 1), Role.AGENT, new Cost(9, 5, 0, 9)));
        Costs after = new Costs(Map.of(
                Role.GATEWAY,
                new Cost(1, 3, 0, 1),
                Role.WALL,
                new Cost(2, 0.5, 0, 2),
                Role.AGENT,
                new Cost(9, 50, 0, 9)));
        assertEquals(2.5, after.deliveringCpuSince(before));
    }
}
