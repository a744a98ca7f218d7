package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeObject;
import brig.formats.adapter.NativeReader;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.SubAgents.Status;
import brig.formats.adapter.ToolCall;
import brig.formats.adapter.Usage;
import brig.protocol.wire.FrameType;
import java.util.List;
import java.util.Map;
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
    public boolean handle(NativeObject message) throws InterruptedException {
        switch (message.text("type", "")) {
            case "thread.started" -> {
                root = message.text("thread_id", "");
                frames.put(FrameType.SESSION, AgentFrames.fields("session_id", root, "agent", "codex"));
            }
            case "turn.started" -> {}
            case "turn.completed" -> {
                NativeObject tokens = message.object("usage");
                frames.put(
                        FrameType.USAGE,
                        new Usage(
                                        tokens.number("input_tokens", 0),
                                        tokens.number("output_tokens", 0),
                                        tokens.number("cached_input_tokens", 0),
                                        null)
                                .fields());
            }
            case "turn.failed" ->
                frames.error("AGENT_ERROR", message.object("error").text("message", "the turn failed"), Map.of());
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
        frames.error(
                "MODEL_ERROR",
                sentence,
                AgentFrames.fields("retrying", sentence.startsWith("Reconnecting") ? true : null));
    }

    private boolean handleItem(NativeObject item, boolean complete) throws InterruptedException {
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
                        AgentFrames.fields("command", item.text("command")),
                        item.text("aggregated_output"));
            case "file_change" ->
                tool(
                        item,
                        complete,
                        "apply_patch",
                        null,
                        Map.of(
                                "changes",
                                item.objects("changes").stream()
                                        .map(NativeObject::asMap)
                                        .toList()),
                        null);
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
                frames.put(
                        FrameType.PLAN,
                        AgentFrames.fields(
                                "entries",
                                item.objects("items").stream()
                                        .map(todo -> AgentFrames.fields(
                                                "content",
                                                todo.text("text"),
                                                "status",
                                                todo.flag("completed") ? "completed" : "pending"))
                                        .toList()));
            case "collab_tool_call" -> {
                tool(
                        item,
                        complete,
                        toolName(item.text("tool", "")),
                        item.text("prompt"),
                        AgentFrames.fields("prompt", item.text("prompt"), "agents", item.value("receiver_thread_ids")),
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
            NativeObject item,
            boolean complete,
            String name,
            @Nullable String title,
            @Nullable Object input,
            @Nullable String output)
            throws InterruptedException {
        ToolCall.Status status = switch (item.text("status", "")) {
            case "failed", "declined" -> ToolCall.Status.FAILED;
            case "completed" -> ToolCall.Status.COMPLETED;
            default -> complete ? ToolCall.Status.COMPLETED : ToolCall.Status.RUNNING;
        };
        frames.tool(new ToolCall(
                item.text("id", ""), null, name, title, status, complete ? null : input, complete ? output : null));
    }

    private static String toolName(String tool) {
        return tool.equals("wait") ? "wait_agent" : tool;
    }

    /** The call that starts a sub-agent says which thread it is, when it is done; others say how threads fare. */
    private void handleAgents(NativeObject item, boolean complete) throws InterruptedException {
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
        NativeObject states = item.object("agents_states");
        for (String thread : List.copyOf(states.asMap().keySet())) {
            NativeObject state = states.object(thread);
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
