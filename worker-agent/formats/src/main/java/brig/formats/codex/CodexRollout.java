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

/** A line of a rollout of Codex 0.169, the transcript of one thread, with the fields that Brig reads. */
@Foreign
record CodexRollout(@Default("") String type, @Nullable JsonObject payload) {
    /** The first line. */
    @Foreign
    record Meta(
            @Default("") String id,
            @Nullable String parentThreadId,
            @Nullable String cliVersion,
            @Nullable String agentRole,
            @Nullable String agentNickname) {}

    /** The settings of a turn. */
    @Foreign
    record Context(@Nullable String model) {}

    /**
     * A payload of type {@code event_msg}.
     *
     * @param said null if its type is unknown
     */
    @Foreign
    record Any(@Flat @Nullable Event said) {}

    @Tagged("type")
    @Foreign
    sealed interface Event {}

    record TaskStarted() implements Event {}

    record TaskComplete(@Nullable String lastAgentMessage) implements Event {}

    record TurnAborted() implements Event {}

    record TokenCount(Info info) implements Event {}

    record ItemCompleted(@Nullable Item item) implements Event {}

    @Name(value = "error", old = "stream_error")
    record Failed(@Default("unknown") String message) implements Event {}

    @Foreign
    record Info(CodexLine.@Nullable Tokens totalTokenUsage) {}

    @Tagged("type")
    @Foreign
    sealed interface Item {}

    @Name("UserMessage")
    record UserMessage(@Default("") String id, List<Part> content) implements Item {}

    @Name("AgentMessage")
    record AgentMessage(List<Part> content) implements Item {}

    @Name("Reasoning")
    record Reasoning(List<String> summaryText, List<String> rawContent) implements Item {}

    @Name("CommandExecution")
    record CommandExecution(
            @Flat CodexItem.Call call,
            List<String> command,
            @Nullable String cwd,
            @Nullable String aggregatedOutput) implements Item {}

    @Name("FileChange")
    record FileChange(@Flat CodexItem.Call call, @Nullable JsonObject changes) implements Item {}

    @Name("McpToolCall")
    record McpToolCall(
            @Flat CodexItem.Call call,
            @Default("mcp") String server,
            @Default("") String tool,
            @Nullable Object arguments)
            implements Item {}

    @Name("WebSearch")
    record WebSearch(@Flat CodexItem.Call call, @Nullable String query) implements Item {}

    @Name("CollabAgentToolCall")
    record CollabCall(
            @Flat CodexItem.Call call,
            @Default("") String tool,
            @Nullable String prompt,
            @Default("") String senderThreadId,
            @Nullable List<String> receiverThreadIds,
            Map<String, Object> agentsStates)
            implements Item {}

    @Foreign
    record Part(@Default("") String text) {}
}
