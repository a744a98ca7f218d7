package brig.gateway.openai.message;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/responses} ("Create a model response"): the fields with a meaning for an agent.
 *
 * @param toolChoice a word, or an object that names a tool of the client
 * @param tools the client's own; only whether one of them takes asks matters
 * @param background whether the answer is to be fetched later
 * @param instructions instructions for the whole conversation
 * @param input the user's message, or a list of items
 * @param model the agent profile; null is refused later
 * @param previousResponseId the answer that this continues
 */
@Extensible
public record ResponseRequest(
        @Nullable Text text,
        @Nullable Object toolChoice,
        @Nullable Object tools,
        boolean background,
        @Nullable String instructions,
        @Nullable Object input,
        @Nullable String previousResponseId,
        @Nullable String model,
        boolean stream) {

    /** Options of the answer's text. */
    @Extensible
    public record Text(@Nullable TextFormat format) {}
}
