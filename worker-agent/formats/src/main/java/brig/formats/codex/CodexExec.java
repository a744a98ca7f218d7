package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SubAgents;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads the output of {@code codex exec --json} 0.169: complete items of the agent's own thread. Of sub-agents it
 * contains only the start and the end. Owned by the reading thread.
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
                CodexLine.Tokens tokens = completed.usage();
                frames.put(Frame.Usage.of(
                        null,
                        new TokenUsage(tokens.inputTokens(), tokens.outputTokens(), tokens.cachedInputTokens(), null)));
            }
            case CodexLine.TurnFailed failed -> {
                String why = failed.error().message();
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
            case CodexLine.CommandExecution run -> {
                ToolInput.Command input = new ToolInput.Command(run.command(), null);
                frames.tool(
                        run.call().told(null, complete, "exec_command", run.command(), input, run.aggregatedOutput()));
            }
            case CodexLine.FileChange change -> {
                ToolInput.Changes input = new ToolInput.Changes(change.changes());
                frames.tool(change.call().told(null, complete, "apply_patch", null, input, null));
            }
            case CodexLine.McpToolCall called -> {
                String name = called.server() + "." + called.tool();
                String error = called.error().message();
                frames.tool(called.call().told(null, complete, name, null, called.arguments(), error));
            }
            case CodexLine.WebSearch search ->
                frames.tool(search.call().told(null, complete, "web_search", search.query(), null, null));
            case CodexLine.TodoList list ->
                frames.put(new Frame.Plan(
                        null,
                        list.items().stream()
                                .map(todo ->
                                        new Frame.Plan.Entry(todo.text(), todo.completed() ? "completed" : "pending"))
                                .toList()));
            case CodexLine.CollabToolCall called -> {
                String name = CodexItems.toolName(called.tool());
                ToolInput.ForAgents input = new ToolInput.ForAgents(called.prompt(), called.receiverThreadIds());
                frames.tool(called.call().told(null, complete, name, called.prompt(), input, null));
                handleAgents(called, complete);
            }
            case null -> {
                return false;
            }
        }
        return true;
    }

    /** A completed call that starts a sub-agent names its thread; other calls report the state of threads. */
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
        for (Map.Entry<String, CodexItem.AgentState> state :
                called.agentsStates().entrySet()) {
            String thread = state.getKey();
            String said = state.getValue().message();
            switch (state.getValue().status()) {
                case RUNNING -> agents.active(thread);
                case COMPLETED -> agents.ended(thread, Status.COMPLETED, said, null);
                case ERRORED -> agents.ended(thread, Status.FAILED, null, said);
                case INTERRUPTED, SHUTDOWN -> agents.ended(thread, Status.KILLED, null, null);
                case null -> {}
            }
        }
    }
}
