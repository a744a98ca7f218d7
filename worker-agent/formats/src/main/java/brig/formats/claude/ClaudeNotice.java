package brig.formats.claude;

import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** A notice of Claude Code's program. */
@Tagged("subtype")
@Foreign
sealed interface ClaudeNotice {
    /** The session begins or continues. */
    record Init(
            @Default("") String sessionId,
            @Nullable String claudeCodeVersion,
            @Nullable String model) implements ClaudeNotice {}

    /** @param state {@code idle} if neither the agent nor a sub-agent runs */
    record SessionStateChanged(@Default("") String state) implements ClaudeNotice {}

    /** A retry of a model call. */
    record ApiRetry(
            @Default("unknown") String error,
            @Nullable String agentId,
            @Nullable Long errorStatus,
            long attempt,
            long maxRetries,
            long retryDelayMs)
            implements ClaudeNotice {}

    record PermissionDenied(
            @Nullable String toolUseId,
            @Nullable String agentId,
            @Nullable String toolName) implements ClaudeNotice {}

    record Status() implements ClaudeNotice {}

    record BackgroundTasksChanged() implements ClaudeNotice {}

    record ThinkingTokens() implements ClaudeNotice {}

    record CompactBoundary() implements ClaudeNotice {}

    /** A task beside the main loop, such as a sub-agent. */
    sealed interface Task extends ClaudeNotice {
        String taskId();
    }

    /** @param spawnDepth null if not reported */
    record TaskStarted(
            @Default("") String taskId,
            @Default("") String taskType,
            @Nullable String sessionId,
            @Nullable String parentTaskId,
            @Nullable String toolUseId,
            @Nullable String subagentType,
            @Nullable String prompt,
            @Nullable Long spawnDepth,
            boolean isBackgrounded)
            implements Task {}

    record TaskProgress(@Default("") String taskId) implements Task {}

    record TaskUpdated(@Default("") String taskId, Patch patch) implements Task {}

    record TaskNotification(
            @Default("") String taskId,
            @Default("") String status,
            @Nullable String summary) implements Task {}

    /** The changed fields of a task. */
    @Foreign
    record Patch(@Default("") String status, @Nullable String error) {}
}
