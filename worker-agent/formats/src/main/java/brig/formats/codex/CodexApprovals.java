package brig.formats.codex;

import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.RpcAnswer;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import brig.protocol.rpc.RpcError;

/**
 * Answers Codex' requests. The profile decides about permissions; every request is answered, as the agent waits for it.
 */
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

    /** Answers a request. False if its kind is unknown; it is then refused. */
    boolean answer(CodexMessage message) throws InterruptedException {
        CodexRequest asked = message.asked();
        if (asked == null) {
            rpc.fail(message.id(), new RpcError(RpcError.METHOD_NOT_FOUND, "not supported by this client", null));
            return false;
        }
        boolean isForm = asked instanceof CodexRequest.UserInput || asked instanceof CodexRequest.Elicitation;
        frames.put(new Frame.Permission(
                String.valueOf(message.id()),
                null,
                asked.itemId(),
                message.method(),
                asked.command(),
                allow && !isForm ? Decision.ALLOW : Decision.DENY));
        rpc.answer(message.id(), answerTo(asked));
        return true;
    }

    /** Forms are declined: nobody can fill them in. */
    private Record answerTo(CodexRequest asked) {
        return switch (asked) {
            case CodexRequest.CommandApproval _, CodexRequest.FileApproval _ ->
                new Decided(allow ? "accept" : "decline");
            case CodexRequest.ExecApproval _, CodexRequest.PatchApproval _ ->
                new Decided(allow ? "approved" : "denied");
            case CodexRequest.PermissionsApproval wanted ->
                new Permitted(allow && wanted.permissions() != null ? wanted.permissions() : JsonObject.EMPTY);
            case CodexRequest.UserInput _ -> new Answered(JsonObject.EMPTY);
            case CodexRequest.Elicitation _ -> new Elicited("decline");
        };
    }
}
