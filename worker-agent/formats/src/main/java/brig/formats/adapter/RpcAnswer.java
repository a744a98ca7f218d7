package brig.formats.adapter;

import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import org.jspecify.annotations.Nullable;

/** Handles the answer of an agent that speaks JSON-RPC. */
public interface RpcAnswer {
    /** @param error null on success */
    void handle(JsonObject result, @Nullable JsonObject error) throws InterruptedException;

    /** Passes an answer to its pending request; false if there is none. */
    static boolean handle(JsonRpc<RpcAnswer> rpc, JsonObject message) throws InterruptedException {
        RpcAnswer waiting = rpc.answered(message.value("id"));
        if (waiting == null) {
            return false;
        }
        waiting.handle(message.object("result"), message.has("error") ? message.object("error") : null);
        return true;
    }
}
