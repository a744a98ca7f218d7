package brig.egress.filter;

import org.jspecify.annotations.Nullable;

/**
 * Token counts of one model answer; null if not reported.
 *
 * @param model the answer's name of the model; empty if not reported
 */
record TokenCount(
        String model,
        @Nullable Long input,
        @Nullable Long output,
        @Nullable Long cachedInput,
        @Nullable Long cacheWriteInput) {
    private static final int MODEL_LENGTH_MAX = 128;

    static final TokenCount NONE = new TokenCount("", null, null, null, null);

    /** Adds the data of a later part of the same answer. */
    TokenCount with(ModelAnswer part) {
        String name = part.model() != null && part.model().length() <= MODEL_LENGTH_MAX ? part.model() : model;
        TokenCount count = new TokenCount(name, input, output, cachedInput, cacheWriteInput);
        ModelAnswer.Tokens usage = part.usage();
        if (usage != null) {
            count = new TokenCount(
                    name,
                    last(input, usage.promptTokens(), usage.inputTokens()),
                    last(output, usage.completionTokens(), usage.outputTokens()),
                    last(
                            cachedInput,
                            usage.cachedTokens(),
                            usage.cacheReadInputTokens(),
                            cached(usage.promptTokensDetails()),
                            cached(usage.inputTokensDetails())),
                    last(cacheWriteInput, usage.cacheCreationInputTokens()));
        }
        count = part.message() == null ? count : count.with(part.message());
        return part.response() == null ? count : count.with(part.response());
    }

    private static @Nullable Long cached(ModelAnswer.@Nullable Details details) {
        return details == null ? null : details.cachedTokens();
    }

    private static @Nullable Long last(@Nullable Long before, @Nullable Long... counts) {
        Long last = before;
        for (Long count : counts) {
            last = count == null || count < 0 ? last : count;
        }
        return last;
    }

    boolean isEmpty() {
        return input == null && output == null && cachedInput == null && cacheWriteInput == null;
    }
}
