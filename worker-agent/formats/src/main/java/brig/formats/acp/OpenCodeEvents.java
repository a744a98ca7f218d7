package brig.formats.acp;

import brig.formats.acp.OpenCodePart.TaskInput;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.SubAgents;
import brig.formats.adapter.SubAgents.Origin;
import brig.protocol.NewestMap;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.protocol.frame.TokenUsage;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Reads OpenCode's bus events for what its ACP lacks: sub-agents, which are sessions with a parent, and retries of
 * model calls. From the session that ACP reports in full it takes nothing else. Owned by the thread that reads standard
 * output.
 *
 * <p>Decision 0059.
 */
final class OpenCodeEvents {
    private static final String RESULT = "<task_result>";
    private static final String RESULT_END = "</task_result>";
    private static final int NEW_MAX = 100;

    /** A new session whose creating tool call is not known yet. */
    private record Made(String parent, @Nullable String type) {}

    private final AgentFrames frames;
    private final SubAgents agents;
    private final OpenCodeParts parts;
    private final Map<String, Made> made = new NewestMap<>(NEW_MAX);
    private final OpenCodeCalls calls = new OpenCodeCalls();
    private String root = "";
    /** The HTTP status with which the model refused the agent's own call in this turn. */
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
     * The usage of the turn that just ended.
     *
     * @param last ACP's report, of the last call only; null if there is none
     */
    @Nullable
    TokenUsage turnUsage(@Nullable TokenUsage last) {
        return calls.turn(last);
    }

    void handleEnd() throws InterruptedException {
        agents.allKilled();
    }

    void handle(OpenCodeEvent event) throws InterruptedException {
        switch (event) {
            case OpenCodeEvent.SessionCreated(var info) -> {
                if (info.parentID() != null) {
                    made.put(info.id(), new Made(info.parentID(), info.agent()));
                }
            }
            case OpenCodeEvent.SessionStatus(var session, var status) -> handleStatus(session, status);
            case OpenCodeEvent.SessionError(var session, var error) -> handleError(session, error);
            case OpenCodeEvent.SessionIdle(var session) -> agents.ended(session, Status.COMPLETED, null, null);
            case OpenCodeEvent.MessageUpdated(var info) -> parts.handleMessage(info);
            case OpenCodeEvent.PartUpdated(var session, var part) -> handlePart(session, part);
            case OpenCodeEvent.PartDelta delta -> {
                if (isSubAgent(delta.sessionID())) {
                    parts.handleDelta(delta);
                }
            }
        }
    }

    /** The sub-agent of that session, which gets its place in the tree; null for the agent itself. */
    @Nullable
    String agentOf(String session) throws InterruptedException {
        return isSubAgent(session) ? session : null;
    }

    private void handlePart(String session, @Nullable OpenCodePart part) throws InterruptedException {
        boolean ofSubAgent = isSubAgent(session);
        if (session.equals(root) && part instanceof OpenCodePart.StepFinish finish) {
            calls.add(finish.usage());
        }
        if (part instanceof OpenCodePart.Tool call) {
            handleTask(session, call);
        }
        if (ofSubAgent && part != null) {
            parts.handlePart(session, part);
        }
    }

    /** Whether the session is a sub-agent's. If so, the sub-agent gets its place in the tree and counts as active. */
    private boolean isSubAgent(String session) throws InterruptedException {
        if (session.equals(root)) {
            return false;
        }
        Made earlier = made.remove(session);
        if (earlier != null) {
            place(session, earlier, null, TaskInput.NONE, false);
        }
        if (!agents.knows(session)) {
            return false;
        }
        agents.active(session);
        return true;
    }

    /** Handles the tool call that starts a sub-agent: it names the sub-agent's session, and later its result. */
    void handleTask(String session, OpenCodePart.Tool call) throws InterruptedException {
        OpenCodePart.State state = call.state();
        String child = state.metadata().sessionId();
        if (child == null || !"task".equals(call.tool())) {
            return;
        }
        Made earlier = made.remove(child);
        place(
                child,
                earlier == null ? new Made(session, null) : earlier,
                call.callID(),
                state.input() == null ? TaskInput.NONE : state.input().as(TaskInput.class),
                state.metadata().background());
        if (state.status() == OpenCodePart.Status.ERROR) {
            agents.ended(child, Status.FAILED, null, state.error());
        } else if (state.status() == OpenCodePart.Status.COMPLETED) {
            handleReport(child, state.output() == null ? "" : state.output());
        }
    }

    private void place(String child, Made from, @Nullable String call, TaskInput input, boolean background)
            throws InterruptedException {
        Made above = made.remove(from.parent());
        if (above != null) {
            place(from.parent(), above, null, TaskInput.NONE, false);
        }
        String parent = from.parent().equals(root) ? null : from.parent();
        agents.spawned(new Origin(
                child,
                child,
                parent,
                call,
                input.subagentType() == null ? from.type() : input.subagentType(),
                input.prompt(),
                agents.depth(parent) + 1,
                background));
    }

    private void handleReport(String child, String output) throws InterruptedException {
        if (!output.contains("state=\"running\"")) {
            Status status = output.contains("state=\"error\"") ? Status.FAILED : Status.COMPLETED;
            agents.ended(child, status, result(output), null);
        }
    }

    /** What the sub-agent said, without the line breaks around it; all of the output if that is not marked. */
    private static String result(String output) {
        int begin = output.indexOf(RESULT);
        int end = begin < 0 ? -1 : output.indexOf(RESULT_END, begin);
        if (end < 0) {
            return output;
        }
        String said = output.substring(begin + RESULT.length(), end);
        String rest = said.startsWith("\n") ? said.substring(1) : said;
        return rest.endsWith("\n") ? rest.substring(0, rest.length() - 1) : rest;
    }

    private void handleStatus(String session, OpenCodeEvent.Status status) throws InterruptedException {
        if (status.type().equals("retry")) {
            frames.error(
                    new Frame.Failure(status.message(), "MODEL_ERROR", agents.knows(session) ? session : null, null)
                            .again(status.attempt(), null, null));
        }
    }

    /** The status of a model refusal since the last call; null if there was none. */
    @Nullable
    Long takeModelStatus() {
        Long status = modelStatus;
        modelStatus = null;
        return status;
    }

    /** For the agent's own session ACP reports the error at the end of the prompt, but without the status. */
    private void handleError(String session, OpenCodeError error) throws InterruptedException {
        if (session.equals(root)) {
            modelStatus = error.data().statusCode();
        } else {
            boolean aborted = error.name().equals("MessageAbortedError");
            agents.ended(
                    session,
                    aborted ? Status.KILLED : Status.FAILED,
                    null,
                    error.data().message());
        }
    }
}
