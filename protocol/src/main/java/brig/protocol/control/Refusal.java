package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.record.Default;
import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;

/**
 * A refusal of the worker-agent.
 *
 * @param error a sentence for a person
 * @param code the name of an {@link ErrorCode}; a newer worker-agent may have others
 * @param retryAfterSeconds when to retry; 0 if that is useless
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

    /** Converts it to an exception; an unknown code becomes {@code INTERNAL}. */
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
