package brig.protocol.api;

import brig.protocol.RefusalDetails;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import org.jspecify.annotations.Nullable;

/**
 * A refusal as an answer on a socket.
 *
 * @param error a sentence for a person
 * @param code name of an {@link brig.protocol.ErrorCode}, or of one that is newer
 * @param retryAfterSeconds when to come again; null where the same would be refused again
 */
@Extensible
public record ErrorLine(
        String error,
        String code,
        @Nullable Integer retryAfterSeconds,
        @Flat RefusalDetails details) {}
