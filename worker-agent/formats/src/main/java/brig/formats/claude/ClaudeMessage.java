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

/** A line that Claude Code writes, as far as it is read. Null and empty is what Claude Code does not say. */
@Tagged("type")
@Foreign
sealed interface ClaudeMessage {
    /**
     * Any line.
     *
     * @param message null where it is of no type that is known
     */
    @Foreign
    record Line(@Flat @Nullable ClaudeMessage message) {}

    /** The message in a line; null where that is of no type that is known. */
    static @Nullable ClaudeMessage read(JsonObject line) {
        return line.as(Line.class).message();
    }

    /**
     * Whose a message is.
     *
     * @param agentId the sub-agent; null for the agent itself, and before 2.1
     * @param parentToolUseId the call that started the sub-agent
     */
    @Foreign
    record Place(
            @Nullable String agentId,
            @Nullable String parentToolUseId,
            @Nullable String subagentType) {}

    /** A piece of what the model says. */
    record StreamEvent(@Flat Place place, @Nullable ClaudeEvent event) implements ClaudeMessage {}

    /** What the model says, whole. */
    record Assistant(
            @Flat Place place,
            @Nullable Content message,

            @Name(value = "is_api_error_message", old = "isApiErrorMessage")
            boolean isApiErrorMessage,

            @Nullable Long apiErrorStatus)
            implements ClaudeMessage {}

    /** What the model is told: results of tools, and what its user says. */
    record User(
            @Flat Place place,
            @Nullable Content message,
            @Nullable ToolUseResult toolUseResult) implements ClaudeMessage {}

    /**
     * What the program says.
     *
     * @param said null where it is of no kind that is known
     */
    @Name("system")
    record Notice(@Flat @Nullable ClaudeNotice said) implements ClaudeMessage {}

    /**
     * A turn of the main loop is over.
     *
     * @param totalCostUsd of the whole session
     */
    record Result(
            @Default("error") String subtype,
            boolean isError,
            List<String> errors,
            @Nullable String result,
            @Nullable Tokens usage,
            @Nullable Double totalCostUsd,
            @Nullable Long apiErrorStatus)
            implements ClaudeMessage {}

    /** A question to whoever talks with Claude Code. */
    record ControlRequest(
            @Default("") String requestId, @Nullable Asked request) implements ClaudeMessage {}

    /** The answer to a question of ours. */
    record ControlResponse(@Nullable Answer response) implements ClaudeMessage {}

    /** A question is withdrawn; all are answered at once. */
    record ControlCancelRequest() implements ClaudeMessage {}

    record KeepAlive() implements ClaudeMessage {}

    /** A message of the model, or to it. */
    @Foreign
    record Content(@Default("") String id, List<Piece> content) {
        static final Content EMPTY = new Content("", List.of());

        static Content orEmpty(@Nullable Content content) {
            return content == null ? EMPTY : content;
        }
    }

    /**
     * A part of a message.
     *
     * @param block null where it is of no type that is known
     */
    @Foreign
    record Piece(@Flat @Nullable ClaudeBlock block) {}

    /**
     * What Claude Code says of a call for a sub-agent beside its result.
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

    /** What the provider counted. */
    @Foreign
    record Tokens(long inputTokens, long outputTokens, long cacheCreationInputTokens, long cacheReadInputTokens) {
        static final Tokens NONE = new Tokens(0, 0, 0, 0);
    }

    /** @param subtype {@code can_use_tool}, or something else that nobody here can answer */
    @Foreign
    record Asked(
            @Default("") String subtype,
            @Nullable String agentId,
            @Nullable String toolUseId,
            @Nullable String toolName,
            @Nullable Object input) {
        static final Asked NOTHING = new Asked("", null, null, null, null);
    }

    @Foreign
    record Answer(
            @Default("") String requestId,
            @Default("") String subtype,
            @Default("it does not say why") String error) {}
}
