package brig.formats.codex;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A line of {@code codex exec --json}, as far as it is read. */
@Tagged("type")
@Foreign
sealed interface CodexLine {
    /**
     * Any line.
     *
     * @param said null where it is of no type that is known
     */
    @Foreign
    record Any(@Flat @Nullable CodexLine said) {}

    @Name("thread.started")
    record ThreadStarted(@Default("") String threadId) implements CodexLine {}

    @Name("turn.started")
    record TurnStarted() implements CodexLine {}

    @Name("turn.completed")
    record TurnCompleted(@Nullable Tokens usage) implements CodexLine {}

    @Name("turn.failed")
    record TurnFailed(@Nullable Fault error) implements CodexLine {}

    @Name("error")
    record Failed(@Default("unknown") String message) implements CodexLine {}

    /** A word about an item; the item is null where it is of no type that is known. */
    sealed interface OfItem extends CodexLine {
        @Nullable
        Item item();
    }

    @Name("item.started")
    record ItemStarted(@Nullable Item item) implements OfItem {}

    @Name("item.updated")
    record ItemUpdated(@Nullable Item item) implements OfItem {}

    @Name("item.completed")
    record ItemCompleted(@Nullable Item item) implements OfItem {}

    @Foreign
    record Tokens(long inputTokens, long outputTokens, long cachedInputTokens) {
        static final Tokens NONE = new Tokens(0, 0, 0);
    }

    @Foreign
    record Fault(@Nullable String message) {}

    /** Something that the agent says or does. */
    @Tagged("type")
    @Foreign
    sealed interface Item {}

    /** What every call has. */
    @Foreign
    record Call(@Default("") String id, @Default("") String status) {}

    record AgentMessage(@Default("") String text) implements Item {}

    record Reasoning(@Default("") String text) implements Item {}

    @Name("error")
    record Warning(@Default("unknown") String message) implements Item {}

    record CommandExecution(
            @Flat Call call,
            @Nullable String command,
            @Nullable String aggregatedOutput) implements Item {}

    record FileChange(@Flat Call call, List<JsonObject> changes) implements Item {}

    record McpToolCall(
            @Flat Call call,
            @Default("mcp") String server,
            @Default("") String tool,
            @Nullable Object arguments,
            @Nullable Fault error)
            implements Item {}

    record WebSearch(@Flat Call call, @Nullable String query) implements Item {}

    record TodoList(List<Todo> items) implements Item {}

    @Foreign
    record Todo(@Nullable String text, boolean completed) {}

    /**
     * A call about other threads.
     *
     * @param agentsStates how they fare, by their ids
     */
    record CollabToolCall(
            @Flat Call call,
            @Default("") String tool,
            @Nullable String prompt,
            @Default("") String senderThreadId,
            @Nullable List<String> receiverThreadIds,
            @Nullable JsonObject agentsStates)
            implements Item {}
}
