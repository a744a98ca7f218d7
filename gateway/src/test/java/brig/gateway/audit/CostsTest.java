package brig.gateway.audit;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.api.CostList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class CostsTest {
    private static Costs.Sum sum(String worker, String agent, String model, long day, double cost) {
        return new Costs.Sum(worker, agent, model, day, new CostList.Row("", 1, cost == 0 ? 1 : 0, 10, 1, 2, 5, cost));
    }

    private static final List<Costs.Sum> SUMS = List.of(
            sum("w1", "claude", "opus", 20_000, 0.1),
            sum("w1", "claude", "haiku", 20_001, 0.2),
            sum("w2", "codex", "opus", 20_001, 0.7),
            sum("w3", "codex", "unheard", 20_002, 0));

    private static List<String> names(CostList.By by) {
        UnaryOperator<String> captain = worker -> worker.equals("w3") ? "" : "uid:1";
        return Costs.list(SUMS, by, captain, worker -> "spn_" + worker, true).costs().stream()
                .map(row -> row.name() + "=" + row.cost())
                .toList();
    }

    @Test
    void shouldSumByWhatIsAskedForTheMostExpensiveFirstAndDaysInOrder() {
        assertEquals(List.of("codex=0.7", "claude=0.3"), names(CostList.By.AGENT));
        assertEquals(List.of("uid:1=1.0", "=0.0"), names(CostList.By.CAPTAIN));
        assertEquals(List.of("opus=0.8", "haiku=0.2", "unheard=0.0"), names(CostList.By.MODEL));
        assertEquals(List.of("2024-10-04=0.1", "2024-10-05=0.9", "2024-10-06=0.0"), names(CostList.By.DAY));
        assertEquals(List.of("spn_w2=0.7", "spn_w1=0.3", "spn_w3=0.0"), names(CostList.By.SESSION));
        assertEquals(
                new CostList.Row("", 4, 1, 40, 4, 8, 20, 1.0),
                Costs.list(SUMS, CostList.By.DAY, name -> name, name -> name, true)
                        .total());
    }
}
