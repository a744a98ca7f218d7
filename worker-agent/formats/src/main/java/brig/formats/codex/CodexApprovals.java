package brig.formats.codex;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.Questions;
import brig.formats.adapter.RpcAnswer;
import brig.formats.adapter.ToolRequests;
import brig.formats.adapter.ToolRequests.ToolRequest;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import brig.protocol.rpc.RpcError;
import org.jspecify.annotations.Nullable;

/**
 * Answers Codex' requests, now or when a person has decided. Every request is answered, as the agent waits for it.
 */
final class CodexApprovals {
    private final JsonRpc<RpcAnswer> rpc;
    private final CodexThreads threads;
    private final ToolRequests tools;
    private final Questions questions;

    CodexApprovals(
            AgentFrames frames, JsonRpc<RpcAnswer> rpc, CodexThreads threads, Questions questions, Context context) {
        this.rpc = rpc;
        this.threads = threads;
        this.tools = new ToolRequests(frames, context);
        this.questions = questions;
    }

    private record Decided(String decision) {}

    private record Permitted(JsonObject permissions) {}

    /** Answers a request. False if its kind is unknown; it is then refused. */
    boolean answer(CodexMessage message) throws InterruptedException {
        CodexRequest asked = message.asked();
        if (asked == null) {
            rpc.fail(message.id(), new RpcError(RpcError.METHOD_NOT_FOUND, "not supported by this client", null));
            return false;
        }
        String id = String.valueOf(message.id());
        String agent = threads.agentOf(message.params().threadId());
        if (asked instanceof CodexRequest.Form form) {
            questions.ask(
                    new Questions.Request(id, agent, form.itemId(), message.method(), CodexForms.questions(form)),
                    words -> rpc.answer(message.id(), CodexForms.answer(form, words)));
        } else {
            tools.decide(
                    new ToolRequest(
                            id, agent, asked.itemId(), asked.ruled(), asked.reason(), input(asked), asked.ruled()),
                    allowed -> rpc.answer(message.id(), answerTo(asked, allowed)));
        }
        return true;
    }

    /** What a person judges by, and what an answer for the whole session is bound to; null if it is not known. */
    private @Nullable Object input(CodexRequest asked) {
        return switch (asked) {
            case CodexRequest.CommandApproval run -> run.input();
            case CodexRequest.ExecApproval run -> run.command();
            case CodexRequest.PermissionsApproval wanted -> wanted.permissions();
            case CodexRequest.PatchApproval patch -> patch.fileChanges();
            case CodexRequest.FileApproval change -> threads.changesOf(change.itemId());
            case CodexRequest.Form _ -> null;
        };
    }

    private static Record answerTo(CodexRequest asked, boolean allowed) {
        return switch (asked) {
            case CodexRequest.CommandApproval _, CodexRequest.FileApproval _ ->
                new Decided(allowed ? "accept" : "decline");
            case CodexRequest.ExecApproval _, CodexRequest.PatchApproval _ ->
                new Decided(allowed ? "approved" : "denied");
            case CodexRequest.PermissionsApproval wanted ->
                new Permitted(allowed && wanted.permissions() != null ? wanted.permissions() : JsonObject.EMPTY);
            case CodexRequest.Form form -> CodexForms.answer(form, null);
        };
    }
}
