package brig.gateway.openai.message;

import brig.protocol.record.Extensible;
import brig.protocol.record.Range;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/chat/completions} ("Create chat completion"): the fields that mean something to an agent.
 *
 * @param n how many answers are wanted
 * @param modalities in what an answer may come; null for text
 * @param toolChoice a word, or an object that names a tool of the client
 * @param model the agent profile; a request without is refused later
 */
@Extensible
public record ChatRequest(
        @Nullable TextFormat responseFormat,
        @Nullable Object toolChoice,

        @Range(min = Integer.MIN_VALUE, max = Integer.MAX_VALUE) @Nullable
        Long n,

        boolean logprobs,
        @Nullable List<String> modalities,
        List<RequestMessage> messages,
        @Nullable StreamOptions streamOptions,
        @Nullable String model,
        boolean stream) {

    /** @param includeUsage whether the events end with the tokens that were used */
    @Extensible
    public record StreamOptions(boolean includeUsage) {}
}
