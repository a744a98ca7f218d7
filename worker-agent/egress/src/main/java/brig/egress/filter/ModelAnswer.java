package brig.egress.filter;

import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
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
            @Nullable Details inputTokensDetails,
            @Nullable Details completionTokensDetails,
            @Nullable Details outputTokensDetails,
            @Nullable CacheCreation cacheCreation,
            @Nullable ServerToolUse serverToolUse) {}

    /** Details of the input or output tokens; Anthropic says thinking where OpenAI says reasoning. */
    @Foreign
    record Details(
            @Nullable Long cachedTokens,
            @Nullable Long cacheWriteTokens,
            @Nullable Long reasoningTokens,
            @Nullable Long thinkingTokens) {}

    /** For how long Anthropic's cache keeps what it took. */
    @Foreign
    record CacheCreation(
            @Name("ephemeral_1h_input_tokens") @Nullable Long hour) {}

    /** What Anthropic's own tools did. */
    @Foreign
    record ServerToolUse(@Nullable Long webSearchRequests) {}
}
