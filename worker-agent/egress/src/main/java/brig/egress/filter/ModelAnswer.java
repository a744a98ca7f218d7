package brig.egress.filter;

import brig.protocol.record.Foreign;
import org.jspecify.annotations.Nullable;

/**
 * What an answer of a model API says of itself: the document of Anthropic's and OpenAI's interfaces, or an event of their
 * streams, which has it below {@code message} or {@code response}.
 */
@Foreign
record ModelAnswer(
        @Nullable String model,
        @Nullable Tokens usage,
        @Nullable ModelAnswer message,
        @Nullable ModelAnswer response) {
    /** Counts; OpenAI's chat completions have the names with prompt and completion. */
    @Foreign
    record Tokens(
            @Nullable Long promptTokens,
            @Nullable Long inputTokens,
            @Nullable Long completionTokens,
            @Nullable Long outputTokens,
            @Nullable Long cachedTokens,
            @Nullable Long cacheReadInputTokens,
            @Nullable Long cacheCreationInputTokens,
            @Nullable Details promptTokensDetails,
            @Nullable Details inputTokensDetails) {}

    /** Of the tokens of the question. */
    @Foreign
    record Details(@Nullable Long cachedTokens) {}
}
