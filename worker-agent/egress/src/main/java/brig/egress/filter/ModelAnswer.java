package brig.egress.filter;

import brig.protocol.record.Foreign;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of a model API's answer: the document of Anthropic's and OpenAI's APIs, or an event of their streams,
 * which has it in {@code message} or {@code response}.
 */
@Foreign
record ModelAnswer(
        @Nullable String model,
        @Nullable Tokens usage,
        @Nullable ModelAnswer message,
        @Nullable ModelAnswer response) {
    /** Token counts; OpenAI's chat completions use the names prompt and completion. */
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

    /** Details of the input tokens. */
    @Foreign
    record Details(@Nullable Long cachedTokens) {}
}
