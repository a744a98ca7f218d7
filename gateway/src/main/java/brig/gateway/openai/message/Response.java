package brig.gateway.openai.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.WriteNull;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An answer as a whole ("The response object"). It does not repeat the client's tools and instructions.
 *
 * @param createdAt seconds since 1970
 * @param status {@code in_progress}, {@code completed} or {@code failed}
 * @param output empty while it is in progress
 * @param usage null until it is completed
 */
public record Response(
        String id,
        String object,
        long createdAt,
        String model,
        String status,
        List<OutputItem> output,
        boolean parallelToolCalls,
        String toolChoice,
        List<JsonObject> tools,
        @WriteNull @Nullable Failure error,
        @WriteNull @Nullable JsonObject incompleteDetails,
        @WriteNull @Nullable String instructions,
        JsonObject metadata,
        @WriteNull @Nullable Usage usage) {

    /** A response of an agent, which calls none of its client's tools. */
    public Response(
            String id,
            long createdAt,
            String model,
            String status,
            List<OutputItem> output,
            @Nullable Failure error,
            @Nullable Usage usage) {
        this(
                id,
                "response",
                createdAt,
                model,
                status,
                output,
                false,
                "none",
                List.of(),
                error,
                null,
                null,
                JsonObject.EMPTY,
                usage);
    }

    /** Why the response is incomplete. */
    public record Failure(String code, String message) {}

    /** Tokens of a response. */
    public record Usage(
            long inputTokens,
            InputDetails inputTokensDetails,
            long outputTokens,
            OutputDetails outputTokensDetails,
            long totalTokens) {
        public Usage(long inputTokens, long outputTokens) {
            this(inputTokens, new InputDetails(0), outputTokens, new OutputDetails(0), inputTokens + outputTokens);
        }
    }

    /** Not counted by Brig. */
    public record InputDetails(long cachedTokens) {}

    /** Not counted by Brig. */
    public record OutputDetails(long reasoningTokens) {}
}
