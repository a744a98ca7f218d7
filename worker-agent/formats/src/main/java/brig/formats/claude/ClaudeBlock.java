package brig.formats.claude;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A part of a message of the model, or to it. */
@Tagged("type")
@Foreign
sealed interface ClaudeBlock {
    record Text(@Default("") String text) implements ClaudeBlock {}

    record Thinking(@Default("") String thinking) implements ClaudeBlock {}

    record RedactedThinking() implements ClaudeBlock {}

    /** A call. */
    record ToolUse(
            @Default("") String id,
            @Nullable String name,
            @Nullable Object input) implements ClaudeBlock {
        Arguments arguments() {
            return JsonObject.element(input).as(Arguments.class);
        }
    }

    /** What is read of the arguments of Claude Code's own tools. */
    @Foreign
    record Arguments(
            @Nullable String description,
            @Nullable String subagentType,
            @Nullable String prompt,
            boolean runInBackground,
            List<Todo> todos) {}

    @Foreign
    record Todo(@Nullable String content, @Nullable String status) {}

    /**
     * What a call gave.
     *
     * @param content a text, or a list of texts and objects
     */
    record ToolResult(
            @Default("") String toolUseId, @Nullable Object content, boolean isError) implements ClaudeBlock {}
}
