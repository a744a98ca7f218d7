package brig.protocol.api;

import brig.protocol.egress.BudgetAmount;
import brig.protocol.egress.EgressEvent;
import brig.protocol.record.Extensible;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a session has used up of its own budget, as its frames told last, and at least what its requests to models came to since.
 *
 * <p>Decision 0203.
 *
 * @param percent of that of which most is used up
 * @param reserved what requests under way may come to
 */
@Extensible
public record BudgetView(int percent, BudgetAmount used, BudgetAmount reserved, BudgetAmount limit) {
    private static final int WHOLE = 100;

    /**
     * What is known after a frame, which tells of money or of time, and perhaps of the budget of somebody else.
     *
     * @param before null for nothing
     */
    public static @Nullable BudgetView after(@Nullable BudgetView before, EgressEvent.Budget told) {
        if (told.scope() != EgressEvent.Budget.Scope.SESSION) {
            return before;
        }
        BudgetAmount used = before == null ? told.used() : told.used().over(before.used);
        BudgetAmount limit = before == null ? told.limit() : told.limit().over(before.limit);
        return new BudgetView(
                percent(used, limit),
                used,
                before == null ? told.reserved() : told.reserved().over(before.reserved),
                limit);
    }

    /** The same where money is not limited, or where more was told; else with that in US dollars. */
    public BudgetView atLeast(double usd) {
        if (limit.usd() == null || (used.usd() != null && used.usd() >= usd)) {
            return this;
        }
        BudgetAmount more = new BudgetAmount(usd, null, null, null).over(used);
        return new BudgetView(percent(more, limit), more, reserved, limit);
    }

    /** {@code $4.02 of $5.00, 80 of 500 tokens}. */
    public String words() {
        return EgressEvent.Budget.words(used, limit);
    }

    private static int percent(BudgetAmount used, BudgetAmount limit) {
        return Stream.of(
                        part(used.usd(), limit.usd()),
                        part(used.tokens(), limit.tokens()),
                        part(used.egressBytes(), limit.egressBytes()),
                        part(used.wallMs(), limit.wallMs()))
                .filter(Objects::nonNull)
                .mapToInt(part -> (int) Math.min(part, WHOLE))
                .max()
                .orElse(0);
    }

    private static @Nullable Double part(@Nullable Number used, @Nullable Number limit) {
        return used == null || limit == null ? null : used.doubleValue() * WHOLE / limit.doubleValue();
    }
}
