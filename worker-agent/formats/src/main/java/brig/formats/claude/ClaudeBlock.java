package brig.formats.claude;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A content block of a message from or to the model. */
@Tagged("type")
@Foreign
sealed interface ClaudeBlock {
    record Text(@Default("") String text) implements ClaudeBlock {}

    record Thinking(@Default("") String thinking) implements ClaudeBlock {}

    record RedactedThinking() implements ClaudeBlock {}

    /** A tool call. */
    record ToolUse(
            @Default("") String id,
            @Nullable String name,
            @Nullable Object input) implements ClaudeBlock {
        Arguments arguments() {
            return JsonObject.element(input).as(Arguments.class);
        }
    }

    /** The arguments of Claude Code's own tools that Brig reads. */
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
     * The result of a tool call.
     *
     * @param content a text, or a list of texts and objects
     */
    record ToolResult(
            @Default("") String toolUseId, @Nullable Object content, boolean isError) implements ClaudeBlock {}
}
