package brig.protocol.frame;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import org.jspecify.annotations.Nullable;

/**
 * The usage of a message.
 *
 * <p>Decision 0125.
 *
 * @param cachedInputTokens the part of the input tokens that was read from a cache
 * @param cost in US dollars, as the agent computes it; null if it does not
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

    /** Whether both have the same token counts, regardless of cost. */
    public boolean hasTokensOf(TokenUsage other) {
        return inputTokens == other.inputTokens
                && outputTokens == other.outputTokens
                && cachedInputTokens == other.cachedInputTokens;
    }

    /** A copy with that cost. */
    public TokenUsage at(@Nullable Double otherCost) {
        return new TokenUsage(inputTokens, outputTokens, cachedInputTokens, otherCost);
    }
}
