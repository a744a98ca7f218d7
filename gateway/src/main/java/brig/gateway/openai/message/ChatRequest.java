package brig.gateway.openai.message;

import brig.protocol.record.Extensible;
import brig.protocol.record.Range;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/chat/completions} ("Create chat completion"): the fields with a meaning for an agent.
 *
 * @param n number of answers wanted
 * @param modalities accepted forms of the answer; null for text
 * @param toolChoice a word, or an object that names a tool of the client
 * @param tools the client's own; only whether one of them takes asks matters
 * @param model the agent profile; null is refused later
 */
@Extensible
public record ChatRequest(
        @Nullable TextFormat responseFormat,
        @Nullable Object toolChoice,
        @Nullable Object tools,

        @Range(min = Integer.MIN_VALUE, max = Integer.MAX_VALUE) @Nullable
        Long n,

        boolean logprobs,
        @Nullable List<String> modalities,
        List<RequestMessage> messages,
        @Nullable StreamOptions streamOptions,
        @Nullable String model,
        boolean stream) {

    /** @param includeUsage whether the events end with the usage */
    @Extensible
    public record StreamOptions(boolean includeUsage) {}
}
