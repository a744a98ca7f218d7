package brig.protocol.frame;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import org.jspecify.annotations.Nullable;

/**
 * What a message cost.
 *
 * <p>Decision 0125.
 *
 * @param cachedInputTokens of the input tokens, those that were read from a cache
 * @param cost in US dollars, as the agent reckons it; null where it does not
 */
@Extensible
public record TokenUsage(
        long inputTokens,
        long outputTokens,
        @OmitEmpty long cachedInputTokens,
        @Nullable Double cost) {
    public TokenUsage plus(TokenUsage other) {
        Double sum = cost == null ? other.cost : other.cost == null ? cost : Double.valueOf(cost + other.cost);
        return new TokenUsage(
                inputTokens + other.inputTokens,
                outputTokens + other.outputTokens,
                cachedInputTokens + other.cachedInputTokens,
                sum);
    }

    /** Whether both are of the same tokens, whatever they cost. */
    public boolean hasTokensOf(TokenUsage other) {
        return inputTokens == other.inputTokens
                && outputTokens == other.outputTokens
                && cachedInputTokens == other.cachedInputTokens;
    }

    /** The same tokens at that cost. */
    public TokenUsage at(@Nullable Double otherCost) {
        return new TokenUsage(inputTokens, outputTokens, cachedInputTokens, otherCost);
    }
}
