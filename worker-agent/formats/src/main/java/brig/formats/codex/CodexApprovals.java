package brig.formats.codex;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.RpcAnswer;
import brig.formats.adapter.ToolRequests;
import brig.formats.adapter.ToolRequests.ToolRequest;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Permission.Decision;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import brig.protocol.rpc.RpcError;

/**
 * Answers Codex' requests, now or when a person has decided. Every request is answered, as the agent waits for it.
 */
final class CodexApprovals {
    private final AgentFrames frames;
    private final JsonRpc<RpcAnswer> rpc;
    private final CodexThreads threads;
    private final ToolRequests tools;

    CodexApprovals(AgentFrames frames, JsonRpc<RpcAnswer> rpc, CodexThreads threads, Context context) {
        this.frames = frames;
        this.rpc = rpc;
        this.threads = threads;
        this.tools = new ToolRequests(frames, context);
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
        String id = String.valueOf(message.id());
        String agent = threads.agentOf(message.params().threadId());
        if (asked instanceof CodexRequest.Form) {
            frames.put(new Frame.Permission(id, agent, asked.itemId(), message.method(), null, Decision.DENY));
            rpc.answer(message.id(), answerTo(asked, false));
        } else {
            tools.decide(
                    new ToolRequest(
                            id,
                            agent,
                            asked.itemId(),
                            message.method(),
                            asked.reason(),
                            asked.command(),
                            asked.ruled()),
                    allowed -> rpc.answer(message.id(), answerTo(asked, allowed)));
        }
        return true;
    }

    /** Forms are declined: nobody can fill them in. */
    private static Record answerTo(CodexRequest asked, boolean allowed) {
        return switch (asked) {
            case CodexRequest.CommandApproval _, CodexRequest.FileApproval _ ->
                new Decided(allowed ? "accept" : "decline");
            case CodexRequest.ExecApproval _, CodexRequest.PatchApproval _ ->
                new Decided(allowed ? "approved" : "denied");
            case CodexRequest.PermissionsApproval wanted ->
                new Permitted(allowed && wanted.permissions() != null ? wanted.permissions() : JsonObject.EMPTY);
            case CodexRequest.UserInput _ -> new Answered(JsonObject.EMPTY);
            case CodexRequest.Elicitation _ -> new Elicited("decline");
        };
    }
}
