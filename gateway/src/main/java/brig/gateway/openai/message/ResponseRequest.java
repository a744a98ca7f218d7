package brig.gateway.openai.message;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * The body of {@code POST /v1/responses} ("Create a model response"): the fields that mean something to an agent.
 *
 * @param toolChoice a word, or an object that names a tool of the client
 * @param background whether the answer is to be fetched later
 * @param instructions what is said about the talk as a whole
 * @param input the user's words, or a list of items
 * @param model the agent profile; a request without is refused later
 * @param previousResponseId the answer that this goes on from
 */
@Extensible
public record ResponseRequest(
        @Nullable Text text,
        @Nullable Object toolChoice,
        boolean background,
        @Nullable String instructions,
        @Nullable Object input,
        @Nullable String previousResponseId,
        @Nullable String model,
        boolean stream) {

    /** How the words of the answer are formed. */
    @Extensible
    public record Text(@Nullable TextFormat format) {}
}
