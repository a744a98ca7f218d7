package brig.workeragent.mock;

import brig.protocol.record.Flat;
import brig.protocol.record.Name;
import brig.protocol.record.OmitEmpty;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A stream-json line of Claude Code, limited to what the mock uses. */
@Tagged("type")
sealed interface ClaudeLine {
    /** An event of the session or its sub-agents. */
    @Name("system")
    record SystemLine(@Flat SystemEvent event, String sessionId) implements ClaudeLine {}

    /** The event. */
    @Tagged("subtype")
    sealed interface SystemEvent {
        record SessionStateChanged(String state) implements SystemEvent {}

        record Init(String model, String claudeCodeVersion) implements SystemEvent {}

        record TaskStarted(
                String taskId,
                String toolUseId,
                String taskType,
                String subagentType,
                String prompt,
                int spawnDepth,
                @Nullable String parentTaskId,
                boolean isBackgrounded)
                implements SystemEvent {}

        record TaskNotification(String taskId, String status, String summary) implements SystemEvent {}

        record ApiRetry(int attempt, int maxRetries, int retryDelayMs, int errorStatus, String error)
                implements SystemEvent {}
    }

    record ControlResponse(Answer response) implements ClaudeLine {}

    @Tagged("subtype")
    sealed interface Answer {
        record Success(String requestId) implements Answer {}
    }

    record ControlRequest(String requestId, Question request) implements ClaudeLine {}

    @Tagged("subtype")
    sealed interface Question {
        /** @param agentId the asking sub-agent */
        record CanUseTool(
                String toolName,
                String toolUseId,
                Map<String, String> input,
                @Nullable String agentId) implements Question {}
    }

    /** The agent no longer waits for the answer to that request. */
    record ControlCancelRequest(String requestId) implements ClaudeLine {}

    /** A piece of the model's answer. */
    record StreamEvent(Event event, String sessionId) implements ClaudeLine {}

    @Tagged("type")
    sealed interface Event {
        record MessageStart(MessageId message) implements Event {}

        record ContentBlockDelta(Delta delta) implements Event {}
    }

    record MessageId(String id) {}

    @Tagged("type")
    sealed interface Delta {
        record TextDelta(String text) implements Delta {}

        record ThinkingDelta(String thinking) implements Delta {}
    }

    /** A message of an agent; of a sub-agent with its id. */
    record Assistant(
            Said message,
            @Nullable String agentId,
            @Nullable String parentToolUseId,
            String sessionId,
            @OmitEmpty boolean isApiErrorMessage,
            @Nullable Integer apiErrorStatus)
            implements ClaudeLine {
        record Said(String id, List<Block> content) {}
    }

    /** The result of a tool. */
    record User(
            ToolAnswer message,
            @Nullable String agentId,
            @Nullable String parentToolUseId,
            String sessionId) implements ClaudeLine {
        record ToolAnswer(String role, List<Block> content) {}
    }

    @Tagged("type")
    sealed interface Block {
        record Text(String text) implements Block {}

        record ToolUse(String id, String name, Map<String, String> input) implements Block {}

        record ToolResult(String toolUseId, String content, boolean isError) implements Block {}
    }

    /** The end of a turn. */
    record Result(
            String subtype, boolean isError, List<String> errors, String sessionId, Usage usage, double totalCostUsd)
            implements ClaudeLine {
        record Usage(int inputTokens, int outputTokens) {}
    }
}
