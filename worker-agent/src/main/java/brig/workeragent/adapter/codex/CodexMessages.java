package brig.workeragent.adapter.codex;

import brig.workeragent.adapter.NativeObject;
import brig.workeragent.adapter.NativeReader;
import brig.workeragent.adapter.Rpc;

/** Sorts what Codex writes into answers, questions and what its threads tell. */
final class CodexMessages implements NativeReader.Handler {
    private final Rpc rpc;
    private final CodexThreads threads;
    private final CodexApprovals approvals;

    CodexMessages(Rpc rpc, CodexThreads threads, CodexApprovals approvals) {
        this.rpc = rpc;
        this.threads = threads;
        this.approvals = approvals;
    }

    @Override
    public boolean handle(NativeObject message) throws InterruptedException {
        String method = message.text("method");
        if (method == null) {
            return rpc.handleAnswer(message);
        }
        return message.has("id") ? approvals.answer(method, message) : threads.handle(method, message.object("params"));
    }

    @Override
    public void handleEnd() throws InterruptedException {
        threads.handleEnd();
    }
}
