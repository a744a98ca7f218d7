package brig.protocol.api;

import brig.protocol.record.Extensible;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What the requests to models cost, by what was asked for, the most expensive first.
 *
 * @param complete whether everything written so far was counted
 */
@Extensible
public record CostList(List<Row> costs, Row total, boolean complete) {
    /** @param budgets of sessions, by their spawn id */
    public CostList with(Map<String, BudgetView> budgets) {
        return new CostList(
                costs.stream().map(row -> row.with(budgets.get(row.name()))).toList(), total, complete);
    }

    /** What requests are summed by. A day is one of UTC. */
    public enum By {
        AGENT,
        CAPTAIN,
        MODEL,
        DAY,
        SESSION
    }

    /**
     * A sum. Input tokens are counted as each provider does.
     *
     * @param name the agent profile, captain, model, day as {@code YYYY-MM-DD}, or spawn id; empty in a total, and if it is
     *     not known any more
     * @param cost in US dollars, of the requests that have a price
     * @param unpriced how many requests have none
     * @param budget of a session, if it has one and that is known
     */
    @Extensible
    public record Row(
            String name,
            long requests,
            long unpriced,
            long inputTokens,
            long cachedInputTokens,
            long cacheWriteInputTokens,
            long outputTokens,
            double cost,
            @Nullable BudgetView budget) {
        private static final double DIGITS = 1e9;

        /** A sum without a budget. */
        public Row(
                String name,
                long requests,
                long unpriced,
                long inputTokens,
                long cachedInputTokens,
                long cacheWriteInputTokens,
                long outputTokens,
                double cost) {
            this(
                    name,
                    requests,
                    unpriced,
                    inputTokens,
                    cachedInputTokens,
                    cacheWriteInputTokens,
                    outputTokens,
                    cost,
                    null);
        }

        /** The same of a session with that budget. */
        public Row with(@Nullable BudgetView known) {
            return new Row(
                    name,
                    requests,
                    unpriced,
                    inputTokens,
                    cachedInputTokens,
                    cacheWriteInputTokens,
                    outputTokens,
                    cost,
                    known == null ? null : known.atLeast(cost));
        }

        /** A sum of nothing. */
        public static Row none(String name) {
            return new Row(name, 0, 0, 0, 0, 0, 0, 0);
        }

        /** This and another one, under this name. The cost has nine digits. */
        public Row plus(Row other) {
            return new Row(
                    name,
                    requests + other.requests,
                    unpriced + other.unpriced,
                    inputTokens + other.inputTokens,
                    cachedInputTokens + other.cachedInputTokens,
                    cacheWriteInputTokens + other.cacheWriteInputTokens,
                    outputTokens + other.outputTokens,
                    Math.rint((cost + other.cost) * DIGITS) / DIGITS);
        }
    }
}
