package brig.acp.message;

import brig.protocol.json.JsonObject;
import brig.protocol.record.CamelCase;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import org.jspecify.annotations.Nullable;

/** A notification of the editor. */
@CamelCase
@Extensible
public sealed interface EditorNotification {
    /** {@code session/cancel}: stop the turn of the session. */
    record CancelSession(@NotEmpty String sessionId) implements EditorNotification {}

    /** {@code $/cancel_request}: the answer to that request is not needed. */
    record CancelRequest(@Nullable Object requestId) implements EditorNotification {}

    /** The notification of that method; null for an unknown one, which is ignored. */
    static @Nullable EditorNotification read(String method, JsonObject params) {
        return switch (method) {
            case "session/cancel" -> params.as(CancelSession.class);
            case "$/cancel_request" -> params.as(CancelRequest.class);
            default -> null;
        };
    }
}
