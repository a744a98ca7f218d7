package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.RpcAnswer;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import brig.protocol.rpc.RpcError;
import org.jspecify.annotations.Nullable;

/** Answers what Codex asks. Permissions follow the profile; no question is left open, for the agent would wait. */
final class CodexApprovals {
    private final AgentFrames frames;
    private final JsonRpc<RpcAnswer> rpc;
    private final boolean allow;

    CodexApprovals(AgentFrames frames, JsonRpc<RpcAnswer> rpc, boolean allow) {
        this.frames = frames;
        this.rpc = rpc;
        this.allow = allow;
    }

    private record Decided(String decision) {}

    private record Permitted(JsonObject permissions) {}

    private record Answered(JsonObject answers) {}

    private record Elicited(String action) {}

    /** False where the question is of a kind that is not known; it is refused then. */
    boolean answer(String method, JsonObject request) throws InterruptedException {
        JsonObject params = request.object("params");
        Record answer = answerTo(method, params);
        if (answer == null) {
            rpc.fail(
                    request.value("id"), new RpcError(RpcError.METHOD_NOT_FOUND, "not supported by this client", null));
            return false;
        }
        frames.put(new Frame.Permission(
                String.valueOf(request.value("id")),
                null,
                params.text("itemId"),
                method,
                params.value("command"),
                allow && !isQuestion(method) ? Decision.ALLOW : Decision.DENY));
        rpc.answer(request.value("id"), answer);
        return true;
    }

    private @Nullable Record answerTo(String method, JsonObject params) {
        return switch (method) {
            case "item/commandExecution/requestApproval", "item/fileChange/requestApproval" ->
                new Decided(allow ? "accept" : "decline");
            case "execCommandApproval", "applyPatchApproval" -> new Decided(allow ? "approved" : "denied");
            case "item/permissions/requestApproval" ->
                new Permitted(allow ? params.object("permissions") : JsonObject.EMPTY);
            case "item/tool/requestUserInput" -> new Answered(JsonObject.EMPTY);
            case "mcpServer/elicitation/request" -> new Elicited("decline");
            default -> null;
        };
    }

    /** Nobody is there who could fill in a form. */
    private static boolean isQuestion(String method) {
        return method.equals("item/tool/requestUserInput") || method.equals("mcpServer/elicitation/request");
    }
}
