package brig.egress.filter;

import brig.egress.budget.CallBounds;
import brig.egress.price.Tokens;
import org.jspecify.annotations.Nullable;

/**
 * Token counts of one model answer; null if not reported.
 *
 * @param model the answer's name of the model; empty if not reported
 * @param isCacheApart whether {@code input} lacks what a cache had or took, as Anthropic counts
 * @param isFinal whether the counts are of the whole answer, not of its beginning
 */
record TokenCount(
        String model,
        @Nullable Long input,
        @Nullable Long output,
        @Nullable Long cachedInput,
        @Nullable Long cacheWriteInput,
        @Nullable Long cacheWriteHour,
        @Nullable Long reasoning,
        @Nullable Long webSearches,
        boolean isCacheApart,
        boolean isFinal) {
    private static final int MODEL_LENGTH_MAX = 128;

    static final TokenCount NONE = new TokenCount("", null, null, null, null, null, null, null, false, false);

    /** Adds the data of a later part of the same answer. */
    TokenCount with(ModelAnswer part) {
        String name = nameOf(part);
        TokenCount count = with(name, part.usage(), true);
        ModelAnswer start = part.message();
        count = start == null ? count : count.with(count.nameOf(start), start.usage(), false);
        return part.response() == null ? count : count.with(part.response());
    }

    private String nameOf(ModelAnswer part) {
        return part.model() != null && part.model().length() <= MODEL_LENGTH_MAX ? part.model() : model;
    }

    private TokenCount with(String name, ModelAnswer.@Nullable Tokens usage, boolean ofWhole) {
        if (usage == null) {
            return new TokenCount(
                    name,
                    input,
                    output,
                    cachedInput,
                    cacheWriteInput,
                    cacheWriteHour,
                    reasoning,
                    webSearches,
                    isCacheApart,
                    isFinal);
        }
        ModelAnswer.Details chatInput = orNone(usage.promptTokensDetails());
        ModelAnswer.Details responseInput = orNone(usage.inputTokensDetails());
        ModelAnswer.Details chatOutput = orNone(usage.completionTokensDetails());
        ModelAnswer.Details responseOutput = orNone(usage.outputTokensDetails());
        ModelAnswer.CacheCreation creation = usage.cacheCreation();
        ModelAnswer.ServerToolUse tools = usage.serverToolUse();
        return new TokenCount(
                name,
                last(input, usage.promptTokens(), usage.inputTokens()),
                last(output, usage.completionTokens(), usage.outputTokens()),
                last(
                        cachedInput,
                        usage.cachedTokens(),
                        usage.cacheReadInputTokens(),
                        chatInput.cachedTokens(),
                        responseInput.cachedTokens()),
                last(
                        cacheWriteInput,
                        usage.cacheCreationInputTokens(),
                        chatInput.cacheWriteTokens(),
                        responseInput.cacheWriteTokens()),
                last(cacheWriteHour, creation == null ? null : creation.hour()),
                last(
                        reasoning,
                        chatOutput.reasoningTokens(),
                        responseOutput.reasoningTokens(),
                        responseOutput.thinkingTokens()),
                last(webSearches, tools == null ? null : tools.webSearchRequests()),
                isCacheApart || usage.cacheReadInputTokens() != null || usage.cacheCreationInputTokens() != null,
                isFinal || ofWhole);
    }

    private static ModelAnswer.Details orNone(ModelAnswer.@Nullable Details details) {
        return details == null ? new ModelAnswer.Details(null, null, null, null) : details;
    }

    private static @Nullable Long last(@Nullable Long before, @Nullable Long... counts) {
        Long last = before;
        for (Long count : counts) {
            // Servers may say anything: sums must stay in range.
            last = count == null || count < 0 || count > CallBounds.TOKENS_MAX ? last : count;
        }
        return last;
    }

    boolean isEmpty() {
        return input == null && output == null && cachedInput == null && cacheWriteInput == null;
    }

    /** What is charged; null if the answer lacks a count without which it cannot be told. */
    @Nullable
    Tokens charged() {
        if (input == null || output == null) {
            return null;
        }
        long cached = orZero(cachedInput);
        long written = orZero(cacheWriteInput);
        return new Tokens(
                isCacheApart ? input + cached + written : input,
                cached,
                written,
                orZero(cacheWriteHour),
                output,
                orZero(reasoning),
                orZero(webSearches));
    }

    private static long orZero(@Nullable Long count) {
        return count == null ? 0 : count;
    }
}
