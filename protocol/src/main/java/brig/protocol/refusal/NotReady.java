package brig.protocol.refusal;

import brig.protocol.BrigException;
import brig.protocol.Hints;
import brig.protocol.record.Extensible;
import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/**
 * The whole answer where a session is not ready: what whoever waits for it has to know, and nothing else.
 *
 * @param success always false
 * @param code always {@code SESSION_NOT_READY}
 * @param retryAfterSeconds when to come again, in seconds
 */
@Extensible
public record NotReady(
        boolean success,
        String code,
        @WriteNull @Nullable String state,
        @WriteNull @Nullable String spawnId,
        @WriteNull @Nullable String sessionId,
        int retryAfterSeconds) {
    public static NotReady of(BrigException refusal) {
        Hints hints = refusal.hints();
        return new NotReady(
                false,
                refusal.code().name(),
                hints.state(),
                hints.spawnId(),
                hints.sessionId(),
                refusal.retryAfterSeconds().orElse(1));
    }
}
