package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.Default;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;

/**
 * What a worker-agent did not do, and why.
 *
 * @param error a sentence for a person
 * @param code the name of an {@link ErrorCode}, which a newer worker-agent may have more of
 * @param retryAfterSeconds when to come again; 0 where it is no use
 */
@Extensible
public record Refusal(
        String error,
        @Default("INTERNAL") String code,
        @OmitEmpty int retryAfterSeconds) {
    public static Refusal of(BrigException why) {
        return new Refusal(
                why.getMessage(), why.code().name(), why.retryAfterSeconds().orElse(0));
    }

    /** The same as a refusal of our own; {@code INTERNAL} where its code is not known here. */
    public BrigException toException() {
        return new BrigException(known(code), error, retryAfterSeconds);
    }

    private static ErrorCode known(String name) {
        try {
            return ErrorCode.valueOf(name);
        } catch (IllegalArgumentException newer) {
            return ErrorCode.INTERNAL;
        }
    }
}
