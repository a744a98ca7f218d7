package brig.formats.claude;

import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Tagged;
import org.jspecify.annotations.Nullable;

/** What Claude Code's program says. */
@Tagged("subtype")
@Foreign
sealed interface ClaudeNotice {
    /** The session begins, or goes on. */
    record Init(
            @Default("") String sessionId,
            @Nullable String claudeCodeVersion,
            @Nullable String model) implements ClaudeNotice {}

    /** @param state {@code idle} where nothing runs any more, sub-agents neither */
    record SessionStateChanged(@Default("") String state) implements ClaudeNotice {}

    /** The model is asked again. */
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

    /** Something that runs beside the main loop, such as a sub-agent. */
    sealed interface Task extends ClaudeNotice {
        String taskId();
    }

    /** @param spawnDepth null where it is not said */
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

    /** What changed of a task. */
    @Foreign
    record Patch(@Default("") String status, @Nullable String error) {}
}
