package brig.formats.claude;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.NativeObject;
import brig.protocol.wire.FrameType;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Answers what Claude Code asks on its own channel. Permissions follow the profile: the wall, not the agent, decides
 * what a tool can do. No question is left open, for the agent would wait.
 */
final class ClaudeControl implements ClaudeMessages.Questions {
    private final AgentFrames frames;
    private final Consumer<Map<String, ?>> output;
    private final boolean allow;

    ClaudeControl(AgentFrames frames, Consumer<Map<String, ?>> output, boolean allow) {
        this.frames = frames;
        this.output = output;
        this.allow = allow;
    }

    /** False where the question is of a kind that is not known; it is refused then. */
    @Override
    public boolean answer(NativeObject message) throws InterruptedException {
        String id = message.text("request_id", "");
        NativeObject request = message.object("request");
        if (!request.text("subtype", "").equals("can_use_tool")) {
            output.accept(
                    response(Map.of("subtype", "error", "request_id", id, "error", "not supported by this client")));
            return false;
        }
        @Nullable Object input = request.value("input");
        frames.put(
                FrameType.PERMISSION,
                AgentFrames.fields(
                        "id",
                        id,
                        "agent",
                        request.text("agent_id"),
                        "tool",
                        request.text("tool_use_id"),
                        "name",
                        request.text("tool_name"),
                        "input",
                        input,
                        "decision",
                        allow ? "allow" : "deny"));
        Map<String, ?> decision = allow
                ? Map.of(
                        "behavior",
                        "allow",
                        "updatedInput",
                        request.object("input").asMap())
                : Map.of("behavior", "deny", "message", "not allowed here");
        output.accept(response(Map.of("subtype", "success", "request_id", id, "response", decision)));
        return true;
    }

    private static Map<String, ?> response(Map<String, ?> response) {
        return Map.of("type", "control_response", "response", response);
    }
}
