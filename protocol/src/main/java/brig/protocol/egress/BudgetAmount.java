package brig.protocol.egress;

import brig.protocol.record.Extensible;
import brig.protocol.record.Name;
import org.jspecify.annotations.Nullable;

/**
 * A part of a budget; null for what it does not limit.
 *
 * @param usd money, in US dollars
 * @param tokens of requests to models, input and output together
 * @param egressBytes that connections carried, both ways
 * @param wallMs time since the session began, in milliseconds
 */
@Extensible
public record BudgetAmount(
        @Nullable Double usd,
        @Nullable Long tokens,

        @Name(value = "egress_bytes") @Nullable Long egressBytes,

        @Name(value = "wall_ms") @Nullable Long wallMs) {
    public static final BudgetAmount NONE = new BudgetAmount(null, null, null, null);

    /** Nothing, of each that this limits. */
    public BudgetAmount none() {
        return new BudgetAmount(
                usd == null ? null : Double.valueOf(0),
                tokens == null ? null : Long.valueOf(0),
                egressBytes == null ? null : Long.valueOf(0),
                wallMs == null ? null : Long.valueOf(0));
    }

    /** The same, with what that one has of what is null here. */
    public BudgetAmount over(BudgetAmount other) {
        return new BudgetAmount(
                usd == null ? other.usd : usd,
                tokens == null ? other.tokens : tokens,
                egressBytes == null ? other.egressBytes : egressBytes,
                wallMs == null ? other.wallMs : wallMs);
    }
}
