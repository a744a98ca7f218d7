package brig.gateway.openai.message;

import brig.protocol.record.WriteNull;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A piece of an answer ("The chat completion chunk object").
 *
 * @param created seconds since 1970
 * @param choices empty in the piece with the usage
 */
public record ChatChunk(
        String id,
        String object,
        long created,
        String model,
        List<Choice> choices,
        @Nullable ChatUsage usage) {
    /** @param finishReason null while the answer continues */
    public record Choice(
            int index, Delta delta, @WriteNull @Nullable String finishReason) {}

    /** The new part. */
    public record Delta(
            @Nullable String role,
            @Nullable String content,
            @Nullable String reasoningContent) {
        public static final Delta BEGIN = new Delta("assistant", "", null);
        public static final Delta NOTHING = new Delta(null, null, null);

        public static Delta text(String text) {
            return new Delta(null, text, null);
        }

        public static Delta thought(String text) {
            return new Delta(null, null, text);
        }
    }
}
