package brig.formats.claude;

import brig.formats.adapter.AgentFrames;
import brig.formats.claude.ClaudeInput.Answer;
import brig.formats.claude.ClaudeInput.Behavior;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import java.util.function.Consumer;

/**
 * Answers what Claude Code asks on its own channel. Permissions follow the profile: the wall, not the agent, decides
 * what a tool can do. No question is left open, for the agent would wait.
 */
final class ClaudeControl implements ClaudeMessages.Questions {
    private final AgentFrames frames;
    private final Consumer<Answer> output;
    private final boolean allow;

    ClaudeControl(AgentFrames frames, Consumer<Answer> output, boolean allow) {
        this.frames = frames;
        this.output = output;
        this.allow = allow;
    }

    /** False where the question is of a kind that is not known; it is refused then. */
    @Override
    public boolean answer(ClaudeMessage.ControlRequest question) throws InterruptedException {
        String id = question.requestId();
        return switch (question.request()) {
            case ClaudeMessage.CanUseTool call -> {
                frames.put(new Frame.Permission(
                        id,
                        call.agentId(),
                        call.toolUseId(),
                        call.toolName(),
                        call.input(),
                        allow ? Decision.ALLOW : Decision.DENY));
                output.accept(new Answer.Success(
                        id,
                        allow
                                ? new Behavior.Allow(JsonObject.element(call.input()))
                                : new Behavior.Deny("not allowed here")));
                yield true;
            }
            case null -> {
                output.accept(new Answer.Failure(id, "not supported by this client"));
                yield false;
            }
        };
    }
}
