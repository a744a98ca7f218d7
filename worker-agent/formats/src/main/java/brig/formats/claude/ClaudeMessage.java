package brig.formats.claude;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A line of Claude Code's output, with the fields that Brig reads. Absent fields are null or empty. */
@Tagged("type")
@Foreign
sealed interface ClaudeMessage {
    /**
     * Any line.
     *
     * @param message null if its type is unknown
     */
    @Foreign
    record Line(@Flat @Nullable ClaudeMessage message) {}

    static @Nullable ClaudeMessage read(JsonObject line) {
        return line.as(Line.class).message();
    }

    /**
     * The author of a message.
     *
     * @param agentId the sub-agent; null for the agent itself, and before 2.1
     * @param parentToolUseId the call that started the sub-agent
     */
    @Foreign
    record Place(
            @Nullable String agentId,
            @Nullable String parentToolUseId,
            @Nullable String subagentType) {
        boolean isSubAgent() {
            return agentId != null || parentToolUseId != null;
        }
    }

    /** A piece of the model's output. */
    record StreamEvent(@Flat Place place, @Nullable ClaudeEvent event) implements ClaudeMessage {}

    /** A complete message of the model. */
    record Assistant(
            @Flat Place place,
            Content message,

            @Name(value = "is_api_error_message", old = "isApiErrorMessage")
            boolean isApiErrorMessage,

            @Nullable Long apiErrorStatus)
            implements ClaudeMessage {}

    /** Input to the model: tool results and user messages. */
    record User(@Flat Place place, Content message, ToolUseResult toolUseResult) implements ClaudeMessage {}

    /**
     * A notice of the program.
     *
     * @param said null if its kind is unknown
     */
    @Name("system")
    record Notice(@Flat @Nullable ClaudeNotice said) implements ClaudeMessage {}

    /**
     * The end of a turn of the main loop.
     *
     * @param totalCostUsd the cost of the whole session
     */
    record Result(
            @Default("error") String subtype,
            boolean isError,
            List<String> errors,
            @Nullable String result,
            Tokens usage,
            @Nullable Double totalCostUsd,
            @Nullable Long apiErrorStatus)
            implements ClaudeMessage {}

    /**
     * A request of Claude Code to its controlling program.
     *
     * @param request null if Brig cannot answer its kind
     */
    record ControlRequest(
            @Default("") String requestId, @Nullable Question request) implements ClaudeMessage {}

    /** The answer to a request of ours. */
    record ControlResponse(Answer response) implements ClaudeMessage {}

    /** The agent no longer waits for the answer to that request. */
    record ControlCancelRequest(@Default("") String requestId) implements ClaudeMessage {}

    record KeepAlive() implements ClaudeMessage {}

    /**
     * The content of a message from or to the model.
     *
     * @param text the whole content if it is not a list of pieces
     */
    @Foreign
    record Content(
            @Default("") String id,
            @Nullable String model,
            @Name("content") @Nullable String text,
            List<Piece> content,
            @Default("") String stopReason,
            Tokens usage) {
        /** The pieces of that type. */
        <T extends ClaudeBlock> List<T> all(Class<T> type) {
            return content.stream()
                    .map(Piece::block)
                    .filter(type::isInstance)
                    .map(type::cast)
                    .toList();
        }

        Content with(List<Piece> pieces) {
            return new Content(id, model, text, pieces, stopReason, usage);
        }
    }

    /**
     * A piece of a message.
     *
     * @param block null if its type is unknown
     */
    @Foreign
    record Piece(@Default("") String type, @Flat @Nullable ClaudeBlock block) {}

    /**
     * Data about a sub-agent's call beside its result.
     *
     * @param status {@code completed}, {@code async_launched}, …
     */
    @Foreign
    @CamelCase
    record ToolUseResult(
            @Nullable String agentId,
            @Nullable String agentType,
            @Nullable String status,
            @Nullable String prompt) {
        static final ToolUseResult NONE = new ToolUseResult(null, null, null, null);
    }

    /** The provider's token counts. */
    @Foreign
    record Tokens(long inputTokens, long outputTokens, long cacheCreationInputTokens, long cacheReadInputTokens) {
        static final Tokens NONE = new Tokens(0, 0, 0, 0);

        /** The sum; negative counts are taken as 0. */
        Tokens plus(Tokens more) {
            return new Tokens(
                    inputTokens + Math.max(0, more.inputTokens),
                    outputTokens + Math.max(0, more.outputTokens),
                    cacheCreationInputTokens + Math.max(0, more.cacheCreationInputTokens),
                    cacheReadInputTokens + Math.max(0, more.cacheReadInputTokens));
        }
    }

    @Tagged("subtype")
    @Foreign
    sealed interface Question {}

    /**
     * @param title a sentence that asks for the permission; only of newer versions
     * @param description of the call, in the model's words
     */
    record CanUseTool(
            @Nullable String agentId,
            @Nullable String toolUseId,
            @Nullable String toolName,
            @Nullable Object input,
            @Nullable String title,
            @Nullable String description)
            implements Question {
        /** What a person reads first; null if only the tool's name is known. */
        @Nullable
        String said() {
            return title != null ? title : description;
        }
    }

    /** @param outcome null if its kind is unknown */
    @Foreign
    record Answer(
            @Default("") String requestId, @Flat @Nullable Outcome outcome) {}

    @Tagged("subtype")
    @Foreign
    sealed interface Outcome {}

    record Success() implements Outcome {}

    @Name("error")
    record Failure(@Default("it does not say why") String error) implements Outcome {}
}
