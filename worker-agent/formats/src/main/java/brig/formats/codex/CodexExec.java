package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.ToolCall;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.frame.Frame.Tool.Progress;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What {@code codex exec --json} 0.169 writes: whole items of the agent's own thread. Its sub-agents' items are not
 * written, only that they were started and how they ended. Owned by the thread that reads.
 */
public final class CodexExec implements NativeReader.Handler {
    private final AgentFrames frames;
    private final SubAgents agents;
    private String root = "";

    public CodexExec(AgentFrames frames) {
        this.frames = frames;
        this.agents = new SubAgents(frames);
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        switch (message.as(CodexLine.Any.class).said()) {
            case CodexLine.ThreadStarted started -> {
                root = started.threadId();
                frames.put(new Frame.Session(root, "codex", null, null));
            }
            case CodexLine.TurnStarted _ -> {}
            case CodexLine.TurnCompleted completed -> {
                CodexLine.Tokens tokens = completed.usage() == null ? CodexLine.Tokens.NONE : completed.usage();
                frames.put(Frame.Usage.of(
                        null,
                        new TokenUsage(tokens.inputTokens(), tokens.outputTokens(), tokens.cachedInputTokens(), null)));
            }
            case CodexLine.TurnFailed failed -> {
                String why = messageOf(failed.error());
                frames.error("AGENT_ERROR", why == null ? "the turn failed" : why);
            }
            case CodexLine.Failed failed -> handleError(failed.message());
            case CodexLine.OfItem about -> {
                return handleItem(about.item(), about instanceof CodexLine.ItemCompleted);
            }
            case null -> {
                return false;
            }
        }
        return true;
    }

    private static @Nullable String messageOf(CodexLine.@Nullable Fault fault) {
        return fault == null ? null : fault.message();
    }

    @Override
    public void handleEnd() throws InterruptedException {
        agents.runningKilled();
    }

    private void handleError(String sentence) throws InterruptedException {
        Frame.Failure failure = new Frame.Failure(sentence, "MODEL_ERROR");
        frames.error(sentence.startsWith("Reconnecting") ? failure.again(null, null, null) : failure);
    }

    private boolean handleItem(CodexLine.@Nullable Item item, boolean complete) throws InterruptedException {
        switch (item) {
            case CodexLine.AgentMessage said -> frames.said(null, false, complete ? said.text() : "");
            case CodexLine.Reasoning said -> frames.said(null, true, complete ? said.text() : "");
            case CodexLine.Warning warning -> frames.warned(null, warning.message());
            case CodexLine.CommandExecution run ->
                tool(
                        run.call(),
                        complete,
                        "exec_command",
                        run.command(),
                        new ToolInput.Command(run.command(), null),
                        run.aggregatedOutput());
            case CodexLine.FileChange change ->
                tool(change.call(), complete, "apply_patch", null, new ToolInput.Changes(change.changes()), null);
            case CodexLine.McpToolCall called ->
                tool(
                        called.call(),
                        complete,
                        called.server() + "." + called.tool(),
                        null,
                        called.arguments(),
                        messageOf(called.error()));
            case CodexLine.WebSearch search -> tool(search.call(), complete, "web_search", search.query(), null, null);
            case CodexLine.TodoList list ->
                frames.put(new Frame.Plan(
                        null,
                        list.items().stream()
                                .map(todo ->
                                        new Frame.Plan.Entry(todo.text(), todo.completed() ? "completed" : "pending"))
                                .toList()));
            case CodexLine.CollabToolCall called -> {
                tool(
                        called.call(),
                        complete,
                        toolName(called.tool()),
                        called.prompt(),
                        new ToolInput.ForAgents(called.prompt(), called.receiverThreadIds()),
                        null);
                handleAgents(called, complete);
            }
            case null -> {
                return false;
            }
        }
        return true;
    }

    private void tool(
            CodexLine.Call call,
            boolean complete,
            String name,
            @Nullable String title,
            @Nullable Object input,
            @Nullable String output)
            throws InterruptedException {
        Progress status = switch (call.status()) {
            case "failed", "declined" -> Progress.FAILED;
            case "completed" -> Progress.COMPLETED;
            default -> complete ? Progress.COMPLETED : Progress.RUNNING;
        };
        frames.tool(
                new ToolCall(call.id(), null, name, title, status, complete ? null : input, complete ? output : null));
    }

    private static String toolName(String tool) {
        return tool.equals("wait") ? "wait_agent" : tool;
    }

    /** The call that starts a sub-agent says which thread it is, when it is done; others say how threads fare. */
    private void handleAgents(CodexLine.CollabToolCall called, boolean complete) throws InterruptedException {
        String sender = called.senderThreadId();
        String parent = sender.equals(root) || sender.isEmpty() ? null : sender;
        List<String> threads = called.receiverThreadIds();
        if (complete && threads != null && called.tool().equals("spawn_agent")) {
            for (String thread : threads) {
                agents.spawned(new SubAgents.Origin(
                        thread,
                        thread,
                        parent,
                        called.call().id(),
                        null,
                        called.prompt(),
                        agents.depth(parent) + 1,
                        true));
            }
        }
        JsonObject states = called.agentsStates() == null ? JsonObject.EMPTY : called.agentsStates();
        for (String thread : List.copyOf(states.names())) {
            JsonObject state = states.object(thread);
            String said = state.text("message");
            switch (state.text("status", "")) {
                case "running" -> agents.active(thread);
                case "completed" -> agents.ended(thread, Status.COMPLETED, said, null);
                case "errored" -> agents.ended(thread, Status.FAILED, null, said);
                case "interrupted", "shutdown" -> agents.ended(thread, Status.KILLED, null, null);
                default -> {}
            }
        }
    }
}
