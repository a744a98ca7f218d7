package brig.gateway.openai.message;

import brig.protocol.record.OmitEmpty;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A whole answer ("The chat completion object").
 *
 * @param created seconds since 1970
 */
public record ChatCompletion(
        String id, String object, long created, String model, List<Choice> choices, ChatUsage usage) {
    /** The single answer of an agent. */
    public record Choice(int index, Said message, String finishReason) {}

    /**
     * The agent's answer.
     *
     * @param toolCalls at most one
     * @param reasoningContent its reasoning and actions; null for none
     */
    public record Said(
            String role,
            String content,
            @Nullable String reasoningContent,
            @OmitEmpty List<ToolCall> toolCalls) {}
}
