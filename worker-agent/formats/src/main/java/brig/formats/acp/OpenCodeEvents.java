package brig.formats.acp;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.SubAgents.Origin;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.frame.TokenUsage;
import brig.protocol.json.JsonObject;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Events of OpenCode's bus, for what its ACP does not tell: sub-agents, which are sessions with a parent, and that the
 * model is asked again. Of the session that ACP tells everything of, only that is taken. Owned by the thread that reads
 * standard output.
 *
 * <p>Decision 0059.
 */
final class OpenCodeEvents {
    private static final Pattern RESULT = Pattern.compile("<task_result>\\n?(.*?)\\n?</task_result>", Pattern.DOTALL);
    private static final int NEW_MAX = 100;

    /** A session that was made, until it is known which call made it. */
    private record Made(String parent, @Nullable String type) {}

    private final AgentFrames frames;
    private final SubAgents agents;
    private final OpenCodeParts parts;
    private final Map<String, Made> made = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Made> eldest) {
            return size() > NEW_MAX;
        }
    };
    private final OpenCodeCalls calls = new OpenCodeCalls();
    private String root = "";
    /** With which status the model refused the agent itself in this turn. */
    private @Nullable Long modelStatus;

    OpenCodeEvents(AgentFrames frames, SubAgents agents) {
        this.frames = frames;
        this.agents = agents;
        this.parts = new OpenCodeParts(frames);
    }

    void open(String session) {
        root = session;
    }

    /**
     * What the turn used that is over.
     *
     * @param last what ACP tells, of the last call alone; null where it tells nothing
     */
    @Nullable
    TokenUsage turnUsage(@Nullable TokenUsage last) {
        return calls.turn(last);
    }

    void handleEnd() throws InterruptedException {
        agents.allKilled();
    }

    void handle(JsonObject event) throws InterruptedException {
        JsonObject properties = event.object("properties");
        String session = properties.text("sessionID", properties.object("info").text("sessionID", ""));
        switch (event.text("type", "")) {
            case "session.created" -> {
                JsonObject info = properties.object("info");
                String parent = info.text("parentID");
                if (parent != null) {
                    made.put(info.text("id", ""), new Made(parent, info.text("agent")));
                }
            }
            case "session.status" -> handleStatus(session, properties.object("status"));
            case "session.error" -> handleError(session, properties.object("error"));
            case "permission.answered" -> handlePermission(session, properties);
            case "session.idle" -> agents.ended(session, Status.COMPLETED, null, null);
            case "message.updated" -> parts.noteRole(properties.object("info"));
            case "message.part.updated" -> handlePart(session, properties.object("part"));
            case "message.part.delta" -> {
                if (isSubAgent(session)) {
                    parts.handleDelta(session, properties);
                }
            }
            // The bus has much that is of no interest to a captain.
            default -> {}
        }
    }

    /** The plugin has answered what a sub-agent asked whether it may: nobody else does, and it would wait for ever. */
    private void handlePermission(String session, JsonObject asked) throws InterruptedException {
        isSubAgent(session);
        frames.put(new Frame.Permission(
                asked.text("id", ""),
                session,
                asked.object("tool").text("callID"),
                asked.text("permission"),
                asked.value("metadata"),
                asked.text("reply", "").equals("reject") ? Decision.DENY : Decision.ALLOW));
    }

    /** A part of a message of that session changed. */
    void handlePart(String session, JsonObject part) throws InterruptedException {
        boolean ofSubAgent = isSubAgent(session);
        if (session.equals(root) && part.text("type", "").equals("step-finish")) {
            calls.add(OpenCodeCalls.usage(part));
        }
        if (part.text("tool", "").equals("task")) {
            handleTask(session, part);
        }
        if (ofSubAgent) {
            parts.handlePart(session, part);
        }
    }

    /** Whether the session is one of a sub-agent, which then has a place; what it does shows that it lives. */
    private boolean isSubAgent(String session) throws InterruptedException {
        if (session.equals(root)) {
            return false;
        }
        Made earlier = made.remove(session);
        if (earlier != null) {
            place(session, earlier, null, JsonObject.EMPTY, false);
        }
        if (!agents.knows(session)) {
            return false;
        }
        agents.active(session);
        return true;
    }

    /** The call that starts a sub-agent names its session, and later what came of it. */
    private void handleTask(String session, JsonObject part) throws InterruptedException {
        JsonObject state = part.object("state");
        JsonObject metadata = state.object("metadata");
        String child = metadata.text("sessionId");
        if (child == null) {
            return;
        }
        Made earlier = made.remove(child);
        place(
                child,
                earlier == null ? new Made(session, null) : earlier,
                part.text("callID"),
                state.object("input"),
                metadata.flag("background"));
        String status = state.text("status", "");
        if (status.equals("error")) {
            agents.ended(child, Status.FAILED, null, state.text("error"));
        } else if (status.equals("completed")) {
            handleReport(child, state.text("output", ""));
        }
    }

    private void place(String child, Made from, @Nullable String call, JsonObject input, boolean background)
            throws InterruptedException {
        Made above = made.remove(from.parent());
        if (above != null) {
            place(from.parent(), above, null, JsonObject.EMPTY, false);
        }
        String parent = from.parent().equals(root) ? null : from.parent();
        String type = input.text("subagent_type");
        agents.spawned(new Origin(
                child,
                child,
                parent,
                call,
                type == null ? from.type() : type,
                input.text("prompt"),
                agents.depth(parent) + 1,
                background));
    }

    private void handleReport(String child, String output) throws InterruptedException {
        if (!output.contains("state=\"running\"")) {
            Matcher result = RESULT.matcher(output);
            Status status = output.contains("state=\"error\"") ? Status.FAILED : Status.COMPLETED;
            agents.ended(child, status, result.find() ? result.group(1) : output, null);
        }
    }

    private void handleStatus(String session, JsonObject status) throws InterruptedException {
        if (status.text("type", "").equals("retry")) {
            frames.error(new Frame.Failure(
                            status.text("message", "the model answered with an error"),
                            "MODEL_ERROR",
                            agents.knows(session) ? session : null,
                            null)
                    .again(status.number("attempt", 0), null, null));
        }
    }

    /** The status that the model refused with since the last time; null where it did not. */
    @Nullable
    Long takeModelStatus() {
        Long status = modelStatus;
        modelStatus = null;
        return status;
    }

    /** Of the agent's own session ACP tells it as the end of the prompt, but not the status. */
    private void handleError(String session, JsonObject error) throws InterruptedException {
        if (session.equals(root)) {
            modelStatus = error.object("data").value("statusCode") instanceof Long status ? status : null;
        } else {
            boolean aborted = error.text("name", "").equals("MessageAbortedError");
            agents.ended(
                    session,
                    aborted ? Status.KILLED : Status.FAILED,
                    null,
                    error.object("data").text("message"));
        }
    }
}
