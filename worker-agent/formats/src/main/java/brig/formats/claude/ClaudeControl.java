package brig.formats.claude;

import brig.formats.adapter.AgentFrames;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers what Claude Code asks on its own channel. Permissions follow the profile: the wall, not the agent, decides
 * what a tool can do. No question is left open, for the agent would wait.
 */
final class ClaudeControl implements ClaudeMessages.Questions {
    private record Response(String type, Answer response) {
        Response(Answer response) {
            this("control_response", response);
        }
    }

    private record Answer(
            String subtype,
            String requestId,
            @Nullable Behavior response,
            @Nullable String error) {}

    @CamelCase
    private record Behavior(
            String behavior,
            @Nullable JsonObject updatedInput,
            @Nullable String message) {}

    private final AgentFrames frames;
    private final Consumer<Record> output;
    private final boolean allow;

    ClaudeControl(AgentFrames frames, Consumer<Record> output, boolean allow) {
        this.frames = frames;
        this.output = output;
        this.allow = allow;
    }

    /** False where the question is of a kind that is not known; it is refused then. */
    @Override
    public boolean answer(ClaudeMessage.ControlRequest question) throws InterruptedException {
        String id = question.requestId();
        ClaudeMessage.Asked request = question.request() == null ? ClaudeMessage.Asked.NOTHING : question.request();
        if (!request.subtype().equals("can_use_tool")) {
            output.accept(new Response(new Answer("error", id, null, "not supported by this client")));
            return false;
        }
        frames.put(new Frame.Permission(
                id,
                request.agentId(),
                request.toolUseId(),
                request.toolName(),
                request.input(),
                allow ? Decision.ALLOW : Decision.DENY));
        Behavior behavior = allow
                ? new Behavior("allow", JsonObject.element(request.input()), null)
                : new Behavior("deny", null, "not allowed here");
        output.accept(new Response(new Answer("success", id, behavior, null)));
        return true;
    }
}
