package brig.workeragent.budget;

import brig.egress.budget.Limit;
import brig.protocol.record.Extensible;
import brig.protocol.record.Tagged;
import brig.protocol.spawn.Budget;
import org.jspecify.annotations.Nullable;

/** A line of the file of budgets. */
@Tagged("kind")
@Extensible
sealed interface BudgetLine {
    String spawnId();

    /**
     * A session that has a budget, or is below one that has.
     *
     * @param startedAt in milliseconds since 1970
     */
    record Admitted(String spawnId, @Nullable String parent, Budget budget, long startedAt) implements BudgetLine {}

    /** A person raised the budget of a session. */
    record Raised(String spawnId, Limit limit) implements BudgetLine {}
}
