package brig.protocol.refusal;

import brig.protocol.BrigException;
import brig.protocol.Hints;
import brig.protocol.record.Extensible;
import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/**
 * The complete answer for a session that is not ready yet.
 *
 * @param success always false
 * @param code always {@code SESSION_NOT_READY}
 * @param retryAfterSeconds when to retry, in seconds
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
