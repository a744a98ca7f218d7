package brig.acp;

import brig.acp.message.AgentNotification;
import brig.acp.message.PermissionRequest;
import brig.captain.RpcException;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The editor's side of JSON-RPC: sends answers, notifications and questions, one line each. Thread-safe. */
final class EditorRpc {
    private final OutputStream out;
    private final Consumer<String> log;
    private final JsonRpc<Consumer<PermissionRequest.Answer>> rpc = new JsonRpc<>(this::write, true);

    /** Guarded by this. */
    private boolean broken;

    EditorRpc(OutputStream out, Consumer<String> log) {
        this.out = out;
        this.log = log;
    }

    void answer(@Nullable Object id, Record result) {
        rpc.answer(id, result);
    }

    void fail(@Nullable Object id, RpcException failure) {
        rpc.fail(id, failure.error());
    }

    void notify(AgentNotification notification) {
        rpc.notify(notification.method(), notification);
    }

    /**
     * Asks the editor's user.
     *
     * @param answered gets the choice, or nothing after an error; not called after {@link #withdraw}
     * @return the id of the request; 0 if the editor does not read any longer
     */
    long request(PermissionRequest question, Consumer<PermissionRequest.Answer> answered) {
        return rpc.request(PermissionRequest.METHOD, question, answered);
    }

    /** Withdraws a question; no effect if it is already answered. */
    void withdraw(long id) {
        if (rpc.answered(id) != null) {
            notify(new AgentNotification.RequestWithdrawn(id));
        }
    }

    /** Handles an answer of the editor; an unexpected one is ignored. */
    void handleAnswer(JsonObject message) {
        Consumer<PermissionRequest.Answer> waiting = rpc.answered(message.value("id"));
        if (waiting != null) {
            waiting.accept(message.object("result").as(PermissionRequest.Answer.class));
        }
    }

    private synchronized boolean write(byte[] line) {
        if (broken) {
            return false;
        }
        try {
            out.write(line);
            out.flush();
            return true;
        } catch (IOException e) {
            broken = true;
            log.accept("the editor does not read any more: " + e.getMessage());
            return false;
        }
    }
}
