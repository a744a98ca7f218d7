package brig.acp.view;

import brig.acp.message.ContentBlock;
import brig.acp.message.SessionUpdate;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Converts frames of a session to {@code session/update}. The agent's answer is its message; its reasoning, its
 * program's messages and Brig's notices are thoughts; tools and sub-agents are tool calls. Owned by the thread that
 * reads the session.
 *
 * <p>Decision 0082.
 */
public final class SessionUpdates {
    private final Consumer<SessionUpdate> sink;
    private final ToolCalls calls;

    public SessionUpdates(PathMapping places, Consumer<SessionUpdate> sink) {
        this.sink = sink;
        this.calls = new ToolCalls(places, sink);
    }

    public void handle(Frame frame) {
        switch (frame) {
            case Frame.Chunk chunk -> handleChunk(chunk);
            case Frame.Tool tool -> calls.handleTool(tool);
            case Frame.SubAgent agent -> calls.handleSubAgent(agent);
            case Frame.Plan plan -> handlePlan(plan);
            case Frame.Permission permission -> {
                if (permission.decision() == Frame.Permission.Decision.DENY) {
                    note("the agent's profile refused "
                            + (permission.name() == null ? "what it asked for" : permission.name()));
                }
            }
            case Frame.Egress egress -> {
                if (egress.event() instanceof EgressEvent.Blocked(EgressEvent.Request request)) {
                    note("blocked " + request.method() + " " + request.host() + request.path() + ": " + request.rule());
                }
            }
            case Frame.Failure failure -> note(failure.code() + ": " + failure.error());
            // Usage is in the answer to the prompt; the rest is not shown.
            case Frame.Usage _,
                    Frame.Budget _,
                    Frame.Message _,
                    Frame.Accepted _,
                    Frame.Done _,
                    Frame.State _,
                    Frame.Session _,
                    Frame.Ask _,
                    Frame.Answered _,
                    Frame.Raw _,
                    Frame.Tty _,
                    Frame.Screen _,
                    Frame.Activity _,
                    Frame.Checkpoint _,
                    Frame.Forked _ -> {}
        }
    }

    private static String orEmpty(@Nullable String text) {
        return text == null ? "" : text;
    }

    private void handleChunk(Frame.Chunk chunk) {
        if (chunk.tool() != null) {
            calls.handleOutput(chunk.tool(), chunk.content());
        } else if (chunk.agent() != null) {
            calls.handleSaid(chunk.agent(), chunk.content());
        } else {
            ContentBlock.Text said = new ContentBlock.Text(chunk.content());
            sink.accept(
                    chunk.isOwnWords()
                            ? new SessionUpdate.AgentMessageChunk(said)
                            : new SessionUpdate.AgentThoughtChunk(said));
        }
    }

    /** Shows a notice of Brig, not of the agent. */
    public void note(String sentence) {
        sink.accept(new SessionUpdate.AgentThoughtChunk(new ContentBlock.Text("\n[brig] " + sentence + "\n")));
    }

    /** Shows a user's message. */
    public void user(String messageId, String content) {
        sink.accept(new SessionUpdate.UserMessageChunk(new ContentBlock.Text(content), messageId));
    }

    private void handlePlan(Frame.Plan plan) {
        if (plan.agent() == null) {
            sink.accept(new SessionUpdate.Plan(plan.entries().stream()
                    .map(entry -> new SessionUpdate.PlanEntry(
                            orEmpty(entry.content()),
                            SessionUpdate.Priority.MEDIUM,
                            SessionUpdate.PlanStatus.of(entry.status())))
                    .toList()));
        }
    }

    /** Sends buffered updates; buffering merges bursts of small pieces. */
    public void flush() {
        calls.flush();
    }
}
