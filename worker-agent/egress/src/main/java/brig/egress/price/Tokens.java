package brig.egress.price;

/**
 * What one answer of a model is charged for, in the way of OpenAI's APIs: each count is a part of the one before it.
 *
 * @param input all input tokens
 * @param cacheRead input tokens that a cache had
 * @param cacheWrite input tokens that a cache took
 * @param cacheWriteHour those of them that it keeps for an hour
 * @param output all output tokens
 * @param reasoning output tokens that are no part of the answer's text
 * @param webSearches searches that the provider made
 */
public record Tokens(
        long input,
        long cacheRead,
        long cacheWrite,
        long cacheWriteHour,
        long output,
        long reasoning,
        long webSearches) {
    /** The same of a provider whose count of output tokens lacks those of the reasoning. */
    Tokens withReasoning() {
        return new Tokens(input, cacheRead, cacheWrite, cacheWriteHour, output + reasoning, reasoning, webSearches);
    }
}
