package brig.acp;

import brig.acp.message.AgentNotification;
import brig.acp.message.PermissionRequest;
import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import java.io.IOException;
import java.io.OutputStream;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The editor's end of the wire: answers, notifications and questions to it, a line each. Any thread may call. */
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
     * @param answered gets what was chosen, nothing where the editor answers with an error; not called after {@link #withdraw}
     * @return the id of the request; 0 where the editor does not read any more
     */
    long request(PermissionRequest question, Consumer<PermissionRequest.Answer> answered) {
        return rpc.request(PermissionRequest.METHOD, question, answered);
    }

    /** Nobody needs the answer any more; nothing happens where it is there already. */
    void withdraw(long id) {
        if (rpc.answered(id) != null) {
            notify(new AgentNotification.RequestWithdrawn(id));
        }
    }

    /** An answer of the editor; one that nobody waits for is passed over. */
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
