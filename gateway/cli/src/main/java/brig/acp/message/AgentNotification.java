package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;

/** A notification to the editor. */
@CamelCase
public sealed interface AgentNotification {
    /** The JSON-RPC method. */
    String method();

    /** An update of a session. */
    record Updated(String sessionId, SessionUpdate update) implements AgentNotification {
        @Override
        public String method() {
            return "session/update";
        }
    }

    /** A complete frame, for editors that asked for it. */
    record FrameSeen(String sessionId, JsonObject frame) implements AgentNotification {
        @Override
        public String method() {
            return "_brig/frame";
        }
    }

    /** Our request needs no answer any longer. */
    record RequestWithdrawn(long requestId) implements AgentNotification {
        @Override
        public String method() {
            return "$/cancel_request";
        }
    }
}
