package brig.formats.adapter;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a message cost.
 *
 * <p>Decision 0125.
 *
 * @param cachedInputTokens of the input tokens, those that were read from a cache
 * @param cost in US dollars, as the agent reckons it; null where it does not
 */
public record Usage(
        long inputTokens,
        long outputTokens,
        long cachedInputTokens,
        @Nullable Double cost) {
    public Usage plus(Usage other) {
        Double sum = cost == null ? other.cost : other.cost == null ? cost : Double.valueOf(cost + other.cost);
        return new Usage(
                inputTokens + other.inputTokens,
                outputTokens + other.outputTokens,
                cachedInputTokens + other.cachedInputTokens,
                sum);
    }

    /** Whether both are of the same tokens, whatever they cost. */
    public boolean hasTokensOf(Usage other) {
        return inputTokens == other.inputTokens
                && outputTokens == other.outputTokens
                && cachedInputTokens == other.cachedInputTokens;
    }

    /** The same tokens at that cost. */
    public Usage at(@Nullable Double otherCost) {
        return new Usage(inputTokens, outputTokens, cachedInputTokens, otherCost);
    }

    public Map<String, Object> fields() {
        return AgentFrames.fields(
                "input_tokens",
                inputTokens,
                "output_tokens",
                outputTokens,
                "cached_input_tokens",
                cachedInputTokens == 0 ? null : cachedInputTokens,
                "cost",
                cost);
    }
}
