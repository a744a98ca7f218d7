package brig.formats.claude;

import brig.formats.adapter.SubAgents;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claude Code's tasks that are sub-agents. Other tasks, such as a shell in the background, have the same messages and
 * are told by their tool calls. Versions before 2.1 announce no task: there the call, the messages that name it and its
 * result are all that is told of a sub-agent. Its own id comes last, with the result: where it was told of before, it is
 * named after its call, and the id is its session. Owned by the thread that reads standard output.
 */
final class ClaudeTasks {
    private static final String SUB_AGENT = "local_agent";

    private static final Set<String> TOOLS = Set.of("Task", "Agent");
    private static final int CALLS_MAX = 256;

    private final SubAgents agents;
    /** Calls for sub-agents that had no answer yet, by their ids, with who made them. */
    private final Map<String, Call> calls = new LinkedHashMap<>();

    private boolean announces;

    private record Call(@Nullable String agent, JsonObject input) {}

    ClaudeTasks(SubAgents agents) {
        this.agents = agents;
    }

    /** A tool is called. */
    void called(@Nullable String agent, JsonObject block) {
        if (TOOLS.contains(block.text("name", ""))) {
            if (calls.size() >= CALLS_MAX) {
                calls.remove(calls.keySet().iterator().next());
            }
            calls.put(block.text("id", ""), new Call(agent, block.object("input")));
        }
    }

    /**
     * A call is answered.
     *
     * @param result what Claude Code says of it beside its text; empty for nothing
     */
    void answered(@Nullable String agent, JsonObject block, JsonObject result, String text)
            throws InterruptedException {
        String tool = block.text("tool_use_id", "");
        Call call = calls.get(tool);
        String own = result.text("agentId");
        String id = agents.ofTool(tool);
        if (own == null) {
            if (id != null && !announces && block.flag("is_error")) {
                agents.ended(id, Status.FAILED, null, text);
            }
        } else {
            boolean launched = result.text("status", "").equals("async_launched");
            String parent = call == null ? agent : call.agent();
            agents.spawned(new SubAgents.Origin(
                    id == null ? own : id,
                    own,
                    parent,
                    tool,
                    typeOf(call, result.text("agentType")),
                    promptOf(call, result.text("prompt")),
                    agents.depth(parent) + 1,
                    launched));
            if (!launched && !announces) {
                Status status = end(result.text("status", "completed"));
                agents.ended(id == null ? own : id, status == null ? Status.COMPLETED : status, text, null);
            }
        }
        calls.remove(tool);
    }

    private static @Nullable String typeOf(@Nullable Call call, @Nullable String told) {
        return told != null || call == null ? told : call.input().text("subagent_type");
    }

    private static @Nullable String promptOf(@Nullable Call call, @Nullable String told) {
        return told != null || call == null ? told : call.input().text("prompt");
    }

    /** Takes a {@code system} message; false where it is not about tasks. */
    boolean handle(JsonObject message) throws InterruptedException {
        String id = message.text("task_id", "");
        switch (message.text("subtype", "")) {
            case "task_started" -> {
                if (message.text("task_type", "").equals(SUB_AGENT)) {
                    announces = true;
                    String parent = message.text("parent_task_id");
                    agents.spawned(new SubAgents.Origin(
                            id,
                            message.text("session_id"),
                            parent,
                            message.text("tool_use_id"),
                            message.text("subagent_type"),
                            message.text("prompt"),
                            message.number("spawn_depth", agents.depth(parent) + 1),
                            message.flag("is_backgrounded")));
                    agents.resumed(id);
                }
            }
            case "task_progress" -> agents.active(id);
            case "task_updated" -> {
                JsonObject patch = message.object("patch");
                Status status = end(patch.text("status", ""));
                if (status != null) {
                    agents.ended(id, status, null, patch.text("error"));
                }
            }
            case "task_notification" -> {
                Status status = end(message.text("status", ""));
                if (status != null) {
                    agents.ended(id, status, message.text("summary"), null);
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static @Nullable Status end(String status) {
        return switch (status) {
            case "completed" -> Status.COMPLETED;
            case "failed" -> Status.FAILED;
            case "killed", "stopped" -> Status.KILLED;
            default -> null;
        };
    }

    /**
     * The sub-agent that wrote a message, null for the agent itself. Where its start was not told, as by earlier
     * versions, the message is the first word of it.
     */
    @Nullable
    String agentOf(JsonObject message) throws InterruptedException {
        String tool = message.text("parent_tool_use_id");
        String id = message.text("agent_id");
        if (tool == null && id == null) {
            return null;
        }
        if (id == null) {
            String known = agents.ofTool(tool);
            id = known == null ? String.valueOf(tool) : known;
        }
        if (!agents.knows(id)) {
            Call call = tool == null ? null : calls.get(tool);
            String parent = call == null ? null : call.agent();
            agents.spawned(new SubAgents.Origin(
                    id,
                    null,
                    parent,
                    tool,
                    typeOf(call, message.text("subagent_type")),
                    promptOf(call, null),
                    agents.depth(parent) + 1,
                    call != null && call.input().flag("run_in_background")));
        }
        agents.active(id);
        return id;
    }
}
