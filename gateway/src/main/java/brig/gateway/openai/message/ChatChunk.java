package brig.gateway.openai.message;

import brig.protocol.record.OmitEmpty;
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
            @Nullable String reasoningContent,
            @OmitEmpty List<ToolCall> toolCalls) {
        public static final Delta BEGIN = new Delta("assistant", "", null, List.of());
        public static final Delta NOTHING = new Delta(null, null, null, List.of());

        public static Delta text(String text) {
            return new Delta(null, text, null, List.of());
        }

        public static Delta thought(String text) {
            return new Delta(null, null, text, List.of());
        }

        public static Delta call(ToolCall call) {
            return new Delta(null, null, null, List.of(call));
        }
    }
}
