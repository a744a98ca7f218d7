package brig.formats.codex;

import brig.formats.adapter.ToolCall;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Default;
import brig.protocol.record.Flat;
import brig.protocol.record.Foreign;
import brig.protocol.record.Name;
import brig.protocol.record.Tagged;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** An item of a turn, as Codex' app-server reports it. */
@Tagged("type")
@CamelCase
@Foreign
sealed interface CodexItem {
    /** The common fields of calls. */
    @Foreign
    record Call(@Default("") String id, @Nullable CallStatus status) {
        /** The call for a frame: with its input at the start, with its output at the end. */
        ToolCall told(
                @Nullable String agent,
                boolean complete,
                String name,
                @Nullable String title,
                @Nullable Object input,
                @Nullable String output) {
            Progress progress = switch (status) {
                case FAILED, DECLINED, INTERRUPTED -> Progress.FAILED;
                case COMPLETED -> Progress.COMPLETED;
                case null -> complete ? Progress.COMPLETED : Progress.RUNNING;
            };
            return new ToolCall(id, agent, name, title, progress, complete ? null : input, complete ? output : null);
        }
    }

    enum CallStatus {
        COMPLETED,
        FAILED,
        DECLINED,
        INTERRUPTED
    }

    @Name("agentMessage")
    record AgentMessage(@Default("") String id, @Default("") String text) implements CodexItem {}

    @Name("reasoning")
    record Reasoning(@Default("") String id, List<String> summary, List<String> content) implements CodexItem {}

    /** A sub-agent's activity in Codex' second multi-agent mode. */
    @Name("subAgentActivity")
    record SubAgentActivity(
            @Nullable String id,
            @Nullable Activity kind,
            @Default("") String agentThreadId,
            @Nullable String agentPath) implements CodexItem {}

    enum Activity {
        STARTED,
        COMPLETED,
        INTERRUPTED
    }

    /**
     * A call that concerns other threads.
     *
     * @param agentsStates their states, by id
     */
    @Name("collabAgentToolCall")
    record CollabCall(
            @Flat Call call,
            @Default("") String tool,
            @Nullable String prompt,
            @Nullable String senderThreadId,
            @Nullable List<String> receiverThreadIds,
            Map<String, AgentState> agentsStates)
            implements CodexItem {}

    @Foreign
    record AgentState(@Nullable Standing status, @Nullable String message) {}

    enum Standing {
        RUNNING,
        COMPLETED,
        ERRORED,
        INTERRUPTED,
        SHUTDOWN
    }

    @Name("commandExecution")
    record CommandExecution(
            @Flat Call call,
            @Nullable String command,
            @Nullable String cwd,
            @Nullable String aggregatedOutput) implements CodexItem {}

    @Name("fileChange")
    record FileChange(@Flat Call call, List<JsonObject> changes) implements CodexItem {}

    /** A call of an external tool. */
    @Name(value = "mcpToolCall", old = "dynamicToolCall")
    record ServedCall(
            @Flat Call call,
            @Nullable String server,
            @Default("tool") String namespace,
            @Default("") String tool,
            @Nullable Object arguments,
            CodexNotification.Fault error,
            Content result,
            List<Part> contentItems)
            implements CodexItem {}

    @Foreign
    record Content(List<Part> content) {}

    @Foreign
    record Part(@Default("") String text) {}

    @Name("webSearch")
    record WebSearch(@Flat Call call, @Nullable String query) implements CodexItem {}

    @Name("imageView")
    record ImageView(@Flat Call call, @Nullable String path) implements CodexItem {}

    @Name("imageGeneration")
    record ImageGeneration(@Flat Call call, @Nullable String revisedPrompt) implements CodexItem {}

    @Name("functionCallOutput")
    record FunctionOutput(
            @Flat Call call,
            @Default("functionCallOutput") String name,
            @Nullable String output) implements CodexItem {}

    /** Items without a meaning for captains. */
    @Name(
            value = "userMessage",
            old = {"hookPrompt", "plan", "contextCompaction", "enteredReviewMode", "exitedReviewMode", "sleep"})
    record Silent() implements CodexItem {}
}
