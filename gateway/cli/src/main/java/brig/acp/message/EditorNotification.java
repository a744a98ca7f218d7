package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import org.jspecify.annotations.Nullable;

/** What an editor says and wants no answer to. */
@CamelCase
@Extensible
public sealed interface EditorNotification {
    /** {@code session/cancel}: the turn of the session is to stop. */
    record CancelSession(@NotEmpty String sessionId) implements EditorNotification {}

    /** {@code $/cancel_request}: the answer to that request is not needed. */
    record CancelRequest(@Nullable Object requestId) implements EditorNotification {}

    /** The notification of that method; null for one that is none of ours, which is ignored. */
    static @Nullable EditorNotification read(String method, JsonObject params) {
        return switch (method) {
            case "session/cancel" -> params.as(CancelSession.class);
            case "$/cancel_request" -> params.as(CancelRequest.class);
            default -> null;
        };
    }
}
