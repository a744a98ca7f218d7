package brig.formats.acp;

import brig.formats.adapter.Adapter.Context;
import brig.formats.adapter.AgentFrames;
import brig.formats.adapter.Asks;
import brig.formats.adapter.RpcAnswer;
import brig.formats.adapter.ToolRequests;
import brig.formats.adapter.ToolRequests.ToolRequest;
import brig.protocol.NewestMap;
import brig.protocol.record.CamelCase;
import brig.protocol.rpc.JsonRpc;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * An ACP agent's requests to use a tool. Every request is answered, as the agent may ask for its next call only then.
 * The request of a call that is over is withdrawn, and answered as cancelled. Owned by the thread that reads standard output.
 *
 * <p>Decision 0149.
 */
final class AcpPermissions {
    private static final int OVER_MAX = 1000;
    private static final int CALL_CHARS_MAX = 256;

    /** @param optionId null if none of the offered options fits */
    @CamelCase
    private record Outcome(String outcome, @Nullable String optionId) {}

    private record Decided(Outcome outcome) {
        static final Decided CANCELLED = new Decided(new Outcome("cancelled", null));
    }

    private final JsonRpc<RpcAnswer> rpc;
    private final ToolRequests requests;
    private final Asks asks;
    /** The call of each request that is not answered, by the request's id. Whoever removes a request answers it. */
    private final Map<Object, String> open = new ConcurrentHashMap<>();
    /** The last calls that are over. */
    private final Map<String, Boolean> over = new NewestMap<>(OVER_MAX);

    AcpPermissions(AgentFrames frames, JsonRpc<RpcAnswer> rpc, Context context) {
        this.rpc = rpc;
        this.requests = new ToolRequests(frames, context);
        this.asks = context.asks();
    }

    /** @param agent the asking sub-agent; null for the agent itself */
    void decide(Object id, AcpCall.RequestPermission asked, @Nullable String agent) throws InterruptedException {
        AcpUpdate.CallFields about = asked.toolCall();
        String call = about.toolCallId();
        if (call != null && over.containsKey(call)) {
            rpc.answer(id, Decided.CANCELLED);
            return;
        }
        open.put(id, call == null ? "" : call);
        requests.decide(
                new ToolRequest(
                        String.valueOf(id), agent, call, about.title(), about.title(), about.rawInput(), about.kind()),
                allowed -> {
                    if (open.remove(id) != null) {
                        String option = asked.option(allowed);
                        rpc.answer(
                                id, option == null ? Decided.CANCELLED : new Decided(new Outcome("selected", option)));
                    }
                });
    }

    /** Nobody needs an answer for that call any more. */
    void handleCallOver(String call) {
        if (call.length() <= CALL_CHARS_MAX) {
            over.put(call, true);
        }
        open.forEach((id, asking) -> {
            if (asking.equals(call)) {
                withdraw(id);
            }
        });
    }

    /** The agent no longer waits for the answer to that request. Unknown ids are ignored. */
    void withdraw(Object id) {
        if (open.remove(id) != null) {
            asks.withdraw(String.valueOf(id));
            rpc.answer(id, Decided.CANCELLED);
        }
    }
}
