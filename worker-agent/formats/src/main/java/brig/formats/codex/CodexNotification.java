package brig.formats.codex;

import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A notification of Codex' app-server about a thread, with the fields that Brig reads. */
@Tagged(value = "method", content = "params")
@CamelCase
@Foreign
sealed interface CodexNotification {
    @Name("turn/started")
    record TurnStarted(Turn turn) implements CodexNotification {}

    @Name("turn/completed")
    record TurnCompleted(Turn turn) implements CodexNotification {}

    @Foreign
    record Turn(@Default("") String id, @Nullable Outcome status, List<CodexItem> items, Fault error) {}

    /** How a turn ended. */
    enum Outcome {
        COMPLETED,
        FAILED,
        INTERRUPTED
    }

    @Name("turn/plan/updated")
    record PlanUpdated(List<Step> plan) implements CodexNotification {}

    @Foreign
    record Step(@Nullable String step, @Default("pending") String status) {}

    @Name("thread/tokenUsage/updated")
    record UsageUpdated(Usage tokenUsage) implements CodexNotification {}

    /** @param last the usage of the last model call */
    @Foreign
    record Usage(Tokens last) {}

    @CamelCase
    @Foreign
    record Tokens(long inputTokens, long outputTokens, long cachedInputTokens) {}

    @Name("error")
    record Failed(Fault error, boolean willRetry) implements CodexNotification {}

    /**
     * The cause of a failure.
     *
     * @param kind the kind's name, if it has no details
     * @param kinds the kind's details
     */
    @CamelCase
    @Foreign
    record Fault(
            @Nullable String message,
            @Nullable String additionalDetails,
            @Name("codexErrorInfo") @Nullable String kind,
            @Name("codexErrorInfo") Map<String, Kind> kinds) {}

    @CamelCase
    @Foreign
    record Kind(@Nullable Long httpStatusCode) {}

    @Name(
            value = "warning",
            old = {"configWarning", "deprecationNotice", "guardianWarning"})
    record Warning(@Nullable String message, @Nullable String summary) implements CodexNotification {}

    @Name("item/started")
    record ItemStarted(@Nullable CodexItem item) implements CodexNotification {}

    @Name("item/completed")
    record ItemCompleted(@Nullable CodexItem item) implements CodexNotification {}

    @Name("item/agentMessage/delta")
    record MessageDelta(
            @Default("") String itemId, @Default("") String delta) implements CodexNotification {}

    @Name(value = "item/reasoning/summaryTextDelta", old = "item/reasoning/textDelta")
    record ReasoningDelta(
            @Default("") String itemId, @Default("") String delta) implements CodexNotification {}

    @Name("item/commandExecution/outputDelta")
    record OutputDelta(
            @Default("") String itemId, @Default("") String delta) implements CodexNotification {}

    /** Codex no longer waits for the answer to a request: it came, or the turn went on without. */
    @Name("serverRequest/resolved")
    record RequestResolved(@Nullable Object requestId) implements CodexNotification {}

    /** Notifications without a meaning for captains. */
    @Name(
            value = "thread/started",
            old = {
                "thread/status/changed",
                "thread/readState/changed",
                "thread/settings/updated",
                "thread/name/updated",
                "thread/closed",
                "thread/environment/connected",
                "thread/environment/disconnected",
                "turn/diff/updated",
                "hook/started",
                "hook/completed",
                "account/updated",
                "account/rateLimits/updated",
                "remoteControl/status/changed",
                "skills/changed",
                "app/list/updated",
                "mcpServer/startupStatus/updated",
                "item/reasoning/summaryPartAdded",
                "item/plan/delta",
                "item/fileChange/outputDelta",
                "item/fileChange/patchUpdated",
                "item/commandExecution/terminalInteraction",
                "item/mcpToolCall/progress",
                "item/autoApprovalReview/started",
                "item/autoApprovalReview/completed"
            })
    record Silent() implements CodexNotification {}
}
