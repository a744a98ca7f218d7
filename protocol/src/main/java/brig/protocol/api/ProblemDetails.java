package brig.protocol.api;

import brig.protocol.BrigException;
import brig.protocol.RefusalDetails;
import brig.protocol.SpawnState;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/**
 * A refusal over HTTP, after RFC 9457.
 *
 * @param type {@code urn:brig:error:} and the code
 * @param title the code in words
 * @param status of HTTP
 * @param detail a sentence for a person
 * @param code name of an {@link brig.protocol.ErrorCode}, or of one that is newer
 * @param retryAfterSeconds when to come again; null where the same would be refused again
 */
@Extensible
public record ProblemDetails(
        String type,
        String title,
        int status,
        String detail,
        String code,
        @Nullable Integer retryAfterSeconds,
        @Flat RefusalDetails details) {
    /**
     * The whole answer where a session is not ready: what whoever waits for it has to know, and nothing else.
     *
     * @param success false
     */
    @Extensible
    public record NotReady(
            boolean success,
            String code,
            @WriteNull @Nullable SpawnState state,
            @WriteNull @Nullable String spawnId,
            @WriteNull @Nullable String sessionId,
            int retryAfterSeconds) {
        public static NotReady of(BrigException refusal) {
            RefusalDetails details = refusal.details();
            return new NotReady(
                    false,
                    refusal.code().name(),
                    details.state(),
                    details.spawnId(),
                    details.sessionId(),
                    refusal.retryAfterSeconds().orElse(1));
        }
    }
}
