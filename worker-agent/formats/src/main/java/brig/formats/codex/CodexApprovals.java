package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.JsonRpc;
import brig.formats.adapter.NativeObject;
import brig.protocol.wire.FrameType;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Answers what Codex asks. Permissions follow the profile; no question is left open, for the agent would wait. */
final class CodexApprovals {
    private final AgentFrames frames;
    private final JsonRpc rpc;
    private final boolean allow;

    CodexApprovals(AgentFrames frames, JsonRpc rpc, boolean allow) {
        this.frames = frames;
        this.rpc = rpc;
        this.allow = allow;
    }

    /** False where the question is of a kind that is not known; it is refused then. */
    boolean answer(String method, NativeObject request) throws InterruptedException {
        NativeObject params = request.object("params");
        Map<String, ?> answer = answerTo(method, params);
        if (answer == null) {
            rpc.refuse(request, "not supported by this client");
            return false;
        }
        frames.put(
                FrameType.PERMISSION,
                AgentFrames.fields(
                        "id",
                        String.valueOf(request.value("id")),
                        "tool",
                        params.text("itemId"),
                        "name",
                        method,
                        "input",
                        params.value("command"),
                        "decision",
                        allow && !isQuestion(method) ? "allow" : "deny"));
        rpc.respond(request, answer);
        return true;
    }

    private @Nullable Map<String, ?> answerTo(String method, NativeObject params) {
        return switch (method) {
            case "item/commandExecution/requestApproval", "item/fileChange/requestApproval" ->
                Map.of("decision", allow ? "accept" : "decline");
            case "execCommandApproval", "applyPatchApproval" -> Map.of("decision", allow ? "approved" : "denied");
            case "item/permissions/requestApproval" ->
                Map.of("permissions", allow ? params.object("permissions").asMap() : Map.of());
            case "item/tool/requestUserInput" -> Map.of("answers", Map.of());
            case "mcpServer/elicitation/request" -> Map.of("action", "decline");
            default -> null;
        };
    }

    /** Nobody is there who could fill in a form. */
    private static boolean isQuestion(String method) {
        return method.equals("item/tool/requestUserInput") || method.equals("mcpServer/elicitation/request");
    }
}
