package brig.gateway.audit;

import brig.protocol.api.CostList;
import java.time.LocalDate;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.UnaryOperator;

/** Sums of what requests to models cost. */
public final class Costs {
    /**
     * The requests of one worker to one model on one day.
     *
     * @param agent the agent profile
     * @param day since 1970-01-01, in UTC
     * @param sum its name counts for nothing
     */
    public record Sum(String worker, String agent, String model, long day, CostList.Row sum) {}

    private Costs() {}

    /**
     * The sums as a client asked for them, the most expensive first.
     *
     * @param captain of a worker; empty if that is not known any more
     * @param session the spawn id of a worker
     */
    public static CostList list(
            List<Sum> sums,
            CostList.By by,
            UnaryOperator<String> captain,
            UnaryOperator<String> session,
            boolean complete) {
        Map<String, CostList.Row> rows = new TreeMap<>();
        CostList.Row total = CostList.Row.none("");
        for (Sum one : sums) {
            String name = switch (by) {
                case AGENT -> one.agent();
                case CAPTAIN -> captain.apply(one.worker());
                case MODEL -> one.model();
                case DAY -> LocalDate.ofEpochDay(one.day()).toString();
                case SESSION -> session.apply(one.worker());
            };
            rows.merge(name, CostList.Row.none(name).plus(one.sum()), CostList.Row::plus);
            total = total.plus(one.sum());
        }
        Comparator<CostList.Row> order = by == CostList.By.DAY
                ? Comparator.comparing(CostList.Row::name)
                : Comparator.comparingDouble(CostList.Row::cost).reversed().thenComparing(CostList.Row::name);
        return new CostList(rows.values().stream().sorted(order).toList(), total, complete);
    }
}
