package brig.workeragent.adapter.claude;

import brig.workeragent.adapter.NativeObject;
import brig.workeragent.adapter.SubAgents;
import brig.workeragent.adapter.SubAgents.Status;
import org.jspecify.annotations.Nullable;

/**
 * Claude Code's tasks that are sub-agents. Other tasks, such as a shell in the background, have the same messages and
 * are told by their tool calls. Owned by the thread that reads standard output.
 */
final class ClaudeTasks {
    private static final String SUB_AGENT = "local_agent";

    private final SubAgents agents;

    ClaudeTasks(SubAgents agents) {
        this.agents = agents;
    }

    /** Takes a {@code system} message; false where it is not about tasks. */
    boolean handle(NativeObject message) throws InterruptedException {
        String id = message.text("task_id", "");
        switch (message.text("subtype", "")) {
            case "task_started" -> {
                if (message.text("task_type", "").equals(SUB_AGENT)) {
                    String parent = message.text("parent_task_id");
                    agents.spawned(new SubAgents.Origin(id, message.text("session_id"), parent,
                            message.text("tool_use_id"), message.text("subagent_type"), message.text("prompt"),
                            message.number("spawn_depth", agents.depth(parent) + 1),
                            message.flag("is_backgrounded")));
                    agents.resumed(id);
                }
            }
            case "task_progress" -> agents.active(id);
            case "task_updated" -> {
                NativeObject patch = message.object("patch");
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
    @Nullable String agentOf(NativeObject message) throws InterruptedException {
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
            agents.spawned(new SubAgents.Origin(id, message.text("session_id"), null, tool,
                    message.text("subagent_type"), null, 1, false));
        }
        agents.active(id);
        return id;
    }
}
