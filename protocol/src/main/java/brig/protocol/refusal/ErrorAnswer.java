package brig.protocol.refusal;

import brig.protocol.BrigException;
import brig.protocol.Hints;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;

/**
 * A refusal on a socket (PROTOCOL.md section 6). The other side may be newer.
 *
 * @param error a sentence for a person
 * @param code the error code's name
 */
@Extensible
public record ErrorAnswer(String error, String code, @Flat Hints hints) {
    public static ErrorAnswer of(BrigException refusal) {
        return new ErrorAnswer(refusal.getMessage(), refusal.code().name(), refusal.hints());
    }
}
