package brig.formats.claude;

import brig.formats.adapter.SubAgents;
import brig.protocol.frame.Frame.SubAgent.Status;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Claude Code's tasks that are sub-agents. Other tasks, such as a background shell, have the same messages; their tool
 * calls report them. Versions before 2.1 announce no task: only the call, the messages that name it and its result show
 * the sub-agent. Its own id comes last, with the result. A sub-agent reported before that is named after its call, and
 * the id becomes its session. Owned by the thread that reads standard output.
 */
final class ClaudeTasks {
    private static final String SUB_AGENT = "local_agent";

    private static final Set<String> TOOLS = Set.of("Task", "Agent");
    private static final int CALLS_MAX = 256;

    private final SubAgents agents;
    /** Unanswered calls that start sub-agents, by id, with their callers. */
    private final Map<String, Call> calls = new LinkedHashMap<>();

    private boolean announces;

    private record Call(@Nullable String agent, ClaudeBlock.Arguments input) {}

    ClaudeTasks(SubAgents agents) {
        this.agents = agents;
    }

    /** Notes a tool call. */
    void called(@Nullable String agent, ClaudeBlock.ToolUse call) {
        if (call.name() != null && TOOLS.contains(call.name())) {
            if (calls.size() >= CALLS_MAX) {
                calls.remove(calls.keySet().iterator().next());
            }
            calls.put(call.id(), new Call(agent, call.arguments()));
        }
    }

    /**
     * Notes the result of a call.
     *
     * @param result the data beside its text
     */
    void answered(
            @Nullable String agent, ClaudeBlock.ToolResult answer, ClaudeMessage.ToolUseResult result, String text)
            throws InterruptedException {
        String tool = answer.toolUseId();
        Call call = calls.get(tool);
        String own = result.agentId();
        String id = agents.ofTool(tool);
        if (own == null) {
            if (id != null && !announces && answer.isError()) {
                agents.ended(id, Status.FAILED, null, text);
            }
        } else {
            boolean launched = "async_launched".equals(result.status());
            String parent = call == null ? agent : call.agent();
            agents.spawned(new SubAgents.Origin(
                    id == null ? own : id,
                    own,
                    parent,
                    tool,
                    typeOf(call, result.agentType()),
                    promptOf(call, result.prompt()),
                    agents.depth(parent) + 1,
                    launched));
            if (!launched && !announces) {
                Status status = result.status() == null ? Status.COMPLETED : end(result.status());
                agents.ended(id == null ? own : id, status == null ? Status.COMPLETED : status, text, null);
            }
        }
        calls.remove(tool);
    }

    private static @Nullable String typeOf(@Nullable Call call, @Nullable String told) {
        return told != null || call == null ? told : call.input().subagentType();
    }

    private static @Nullable String promptOf(@Nullable Call call, @Nullable String told) {
        return told != null || call == null ? told : call.input().prompt();
    }

    void handle(ClaudeNotice.Task task) throws InterruptedException {
        String id = task.taskId();
        switch (task) {
            case ClaudeNotice.TaskStarted started -> {
                if (started.taskType().equals(SUB_AGENT)) {
                    announces = true;
                    String parent = started.parentTaskId();
                    agents.spawned(new SubAgents.Origin(
                            id,
                            started.sessionId(),
                            parent,
                            started.toolUseId(),
                            started.subagentType(),
                            started.prompt(),
                            started.spawnDepth() == null ? agents.depth(parent) + 1 : started.spawnDepth(),
                            started.isBackgrounded()));
                    agents.resumed(id);
                }
            }
            case ClaudeNotice.TaskProgress _ -> agents.active(id);
            case ClaudeNotice.TaskUpdated updated -> {
                Status status = end(updated.patch().status());
                if (status != null) {
                    agents.ended(id, status, null, updated.patch().error());
                }
            }
            case ClaudeNotice.TaskNotification told -> {
                Status status = end(told.status());
                if (status != null) {
                    agents.ended(id, status, told.summary(), null);
                }
            }
        }
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
     * The sub-agent that wrote a message; null for the agent itself. If its start was not announced, as in earlier
     * versions, the message reports it.
     */
    @Nullable
    String agentOf(ClaudeMessage.Place place) throws InterruptedException {
        String tool = place.parentToolUseId();
        String id = place.agentId();
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
                    typeOf(call, place.subagentType()),
                    promptOf(call, null),
                    agents.depth(parent) + 1,
                    call != null && call.input().runInBackground()));
        }
        agents.active(id);
        return id;
    }
}
