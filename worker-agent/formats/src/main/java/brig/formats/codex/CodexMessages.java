package brig.formats.codex;

import brig.formats.adapter.NativeReader;
import brig.formats.adapter.RpcAnswer;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;

/** Dispatches Codex' output: answers, requests and notifications of threads. */
final class CodexMessages implements NativeReader.Handler {
    private final JsonRpc<RpcAnswer> rpc;
    private final CodexThreads threads;
    private final CodexApprovals approvals;

    CodexMessages(JsonRpc<RpcAnswer> rpc, CodexThreads threads, CodexApprovals approvals) {
        this.rpc = rpc;
        this.threads = threads;
        this.approvals = approvals;
    }

    @Override
    public boolean handle(JsonObject message) throws InterruptedException {
        CodexMessage said = message.as(CodexMessage.class);
        if (said.method() == null) {
            return RpcAnswer.handle(rpc, message);
        }
        return said.id() == null ? threads.handle(said) : approvals.answer(said);
    }

    @Override
    public void handleEnd() throws InterruptedException {
        threads.handleEnd();
    }
}
