package brig.formats.codex;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A line of {@code codex exec --json}, with the fields that Brig reads. */
@Tagged("type")
@Foreign
sealed interface CodexLine {
    /**
     * Any line.
     *
     * @param said null if its type is unknown
     */
    @Foreign
    record Any(@Flat @Nullable CodexLine said) {}

    @Name("thread.started")
    record ThreadStarted(@Default("") String threadId) implements CodexLine {}

    @Name("turn.started")
    record TurnStarted() implements CodexLine {}

    @Name("turn.completed")
    record TurnCompleted(Tokens usage) implements CodexLine {}

    @Name("turn.failed")
    record TurnFailed(Fault error) implements CodexLine {}

    @Name("error")
    record Failed(@Default("unknown") String message) implements CodexLine {}

    /** An event of an item; the item is null if its type is unknown. */
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
    record Tokens(long inputTokens, long outputTokens, long cachedInputTokens) {}

    @Foreign
    record Fault(@Nullable String message) {}

    /** An item: text or an action of the agent. */
    @Tagged("type")
    @Foreign
    sealed interface Item {}

    record AgentMessage(@Default("") String text) implements Item {}

    record Reasoning(@Default("") String text) implements Item {}

    @Name("error")
    record Warning(@Default("unknown") String message) implements Item {}

    record CommandExecution(
            @Flat CodexItem.Call call,
            @Nullable String command,
            @Nullable String aggregatedOutput) implements Item {}

    record FileChange(@Flat CodexItem.Call call, List<JsonObject> changes) implements Item {}

    record McpToolCall(
            @Flat CodexItem.Call call,
            @Default("mcp") String server,
            @Default("") String tool,
            @Nullable Object arguments,
            Fault error)
            implements Item {}

    record WebSearch(@Flat CodexItem.Call call, @Nullable String query) implements Item {}

    record TodoList(List<Todo> items) implements Item {}

    @Foreign
    record Todo(@Nullable String text, boolean completed) {}

    /**
     * A call that concerns other threads.
     *
     * @param agentsStates their states, by id
     */
    record CollabToolCall(
            @Flat CodexItem.Call call,
            @Default("") String tool,
            @Nullable String prompt,
            @Default("") String senderThreadId,
            @Nullable List<String> receiverThreadIds,
            Map<String, CodexItem.AgentState> agentsStates)
            implements Item {}
}
