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
        switch (message.text("type", "")) {
            case "thread.started" -> {
                root = message.text("thread_id", "");
                frames.put(new Frame.Session(root, "codex", null, null));
            }
            case "turn.started" -> {}
            case "turn.completed" -> {
                JsonObject tokens = message.object("usage");
                frames.put(Frame.Usage.of(
                        null,
                        new TokenUsage(
                                tokens.number("input_tokens", 0),
                                tokens.number("output_tokens", 0),
                                tokens.number("cached_input_tokens", 0),
                                null)));
            }
            case "turn.failed" ->
                frames.error("AGENT_ERROR", message.object("error").text("message", "the turn failed"));
            case "error" -> handleError(message.text("message", "unknown"));
            case "item.started", "item.updated" -> {
                return handleItem(message.object("item"), false);
            }
            case "item.completed" -> {
                return handleItem(message.object("item"), true);
            }
            default -> {
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

    private boolean handleItem(JsonObject item, boolean complete) throws InterruptedException {
        switch (item.text("type", "")) {
            case "agent_message" -> frames.said(null, false, complete ? item.text("text", "") : "");
            case "reasoning" -> frames.said(null, true, complete ? item.text("text", "") : "");
            case "error" -> frames.warned(null, item.text("message", "unknown"));
            case "command_execution" ->
                tool(
                        item,
                        complete,
                        "exec_command",
                        item.text("command"),
                        new ToolInput.Command(item.text("command"), null),
                        item.text("aggregated_output"));
            case "file_change" ->
                tool(item, complete, "apply_patch", null, new ToolInput.Changes(item.objects("changes")), null);
            case "mcp_tool_call" ->
                tool(
                        item,
                        complete,
                        item.text("server", "mcp") + "." + item.text("tool", ""),
                        null,
                        item.value("arguments"),
                        item.object("error").text("message"));
            case "web_search" -> tool(item, complete, "web_search", item.text("query"), null, null);
            case "todo_list" ->
                frames.put(new Frame.Plan(
                        null,
                        item.objects("items").stream()
                                .map(todo -> new Frame.Plan.Entry(
                                        todo.text("text"), todo.flag("completed") ? "completed" : "pending"))
                                .toList()));
            case "collab_tool_call" -> {
                tool(
                        item,
                        complete,
                        toolName(item.text("tool", "")),
                        item.text("prompt"),
                        new ToolInput.ForAgents(item.text("prompt"), item.value("receiver_thread_ids")),
                        null);
                handleAgents(item, complete);
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private void tool(
            JsonObject item,
            boolean complete,
            String name,
            @Nullable String title,
            @Nullable Object input,
            @Nullable String output)
            throws InterruptedException {
        Progress status = switch (item.text("status", "")) {
            case "failed", "declined" -> Progress.FAILED;
            case "completed" -> Progress.COMPLETED;
            default -> complete ? Progress.COMPLETED : Progress.RUNNING;
        };
        frames.tool(new ToolCall(
                item.text("id", ""), null, name, title, status, complete ? null : input, complete ? output : null));
    }

    private static String toolName(String tool) {
        return tool.equals("wait") ? "wait_agent" : tool;
    }

    /** The call that starts a sub-agent says which thread it is, when it is done; others say how threads fare. */
    private void handleAgents(JsonObject item, boolean complete) throws InterruptedException {
        String sender = item.text("sender_thread_id", "");
        String parent = sender.equals(root) || sender.isEmpty() ? null : sender;
        if (complete && item.text("tool", "").equals("spawn_agent")) {
            for (String thread : item.texts("receiver_thread_ids")) {
                agents.spawned(new SubAgents.Origin(
                        thread,
                        thread,
                        parent,
                        item.text("id"),
                        null,
                        item.text("prompt"),
                        agents.depth(parent) + 1,
                        true));
            }
        }
        JsonObject states = item.object("agents_states");
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
