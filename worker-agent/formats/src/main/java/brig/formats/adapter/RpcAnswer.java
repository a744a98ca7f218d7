package brig.formats.adapter;

import brig.protocol.json.JsonObject;
import brig.protocol.rpc.JsonRpc;
import org.jspecify.annotations.Nullable;

/** What becomes of the answer of an agent that speaks JSON-RPC. */
public interface RpcAnswer {
    /** @param error null where it succeeded */
    void handle(JsonObject result, @Nullable JsonObject error) throws InterruptedException;

    /** Hands an answer to whoever waits for it; false where nobody does. */
    static boolean handle(JsonRpc<RpcAnswer> rpc, JsonObject message) throws InterruptedException {
        RpcAnswer waiting = rpc.answered(message.value("id"));
        if (waiting == null) {
            return false;
        }
        waiting.handle(message.object("result"), message.has("error") ? message.object("error") : null);
        return true;
    }
}
