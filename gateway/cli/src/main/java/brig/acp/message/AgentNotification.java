package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;

/** What an editor is told, and gives no answer to. */
@CamelCase
public sealed interface AgentNotification {
    /** The method of JSON-RPC. */
    String method();

    /** Something is new in a session. */
    record Updated(String sessionId, SessionUpdate update) implements AgentNotification {
        @Override
        public String method() {
            return "session/update";
        }
    }

    /** A frame as it is, for editors that asked for it. */
    record FrameSeen(String sessionId, JsonObject frame) implements AgentNotification {
        @Override
        public String method() {
            return "_brig/frame";
        }
    }

    /** The answer to a request of ours is not needed any more. */
    record RequestWithdrawn(long requestId) implements AgentNotification {
        @Override
        public String method() {
            return "$/cancel_request";
        }
    }
}
