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
            @Nullable String subagentType) {
        boolean isSubAgent() {
            return agentId != null || parentToolUseId != null;
        }
    }

    /** A piece of what the model says. */
    record StreamEvent(@Flat Place place, @Nullable ClaudeEvent event) implements ClaudeMessage {}

    /** What the model says, whole. */
    record Assistant(
            @Flat Place place,
            Content message,

            @Name(value = "is_api_error_message", old = "isApiErrorMessage")
            boolean isApiErrorMessage,

            @Nullable Long apiErrorStatus)
            implements ClaudeMessage {}

    /** What the model is told: results of tools, and what its user says. */
    record User(@Flat Place place, Content message, ToolUseResult toolUseResult) implements ClaudeMessage {}

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
            Tokens usage,
            @Nullable Double totalCostUsd,
            @Nullable Long apiErrorStatus)
            implements ClaudeMessage {}

    /**
     * A question to whoever talks with Claude Code.
     *
     * @param request null where it is of a kind that nobody here can answer
     */
    record ControlRequest(
            @Default("") String requestId, @Nullable Question request) implements ClaudeMessage {}

    /** The answer to a question of ours. */
    record ControlResponse(Answer response) implements ClaudeMessage {}

    /** A question is withdrawn; all are answered at once. */
    record ControlCancelRequest() implements ClaudeMessage {}

    record KeepAlive() implements ClaudeMessage {}

    /**
     * A message of the model, or to it.
     *
     * @param text all of it where it is no list of pieces
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
     * A part of a message.
     *
     * @param block null where it is of no type that is known
     */
    @Foreign
    record Piece(@Default("") String type, @Flat @Nullable ClaudeBlock block) {}

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

        /** Both together; a count below 0 is none. */
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

    record CanUseTool(
            @Nullable String agentId,
            @Nullable String toolUseId,
            @Nullable String toolName,
            @Nullable Object input) implements Question {}

    /** @param outcome null where it is of no kind that is known */
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
