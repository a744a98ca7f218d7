package brig.protocol.refusal;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Hints;
import brig.protocol.record.Extensible;
import brig.protocol.record.Flat;
import java.util.Locale;

/**
 * A refusal over HTTP, {@code application/problem+json} (RFC 9457). The gateway may be newer than its client.
 *
 * @param type {@code urn:brig:error:} and the code
 * @param title the code in words
 * @param status the HTTP status
 * @param detail a sentence for a person
 * @param code the error code's name
 */
@Extensible
public record ProblemDetails(
        String type,
        String title,
        int status,
        String detail,
        String code,
        @Flat Hints hints) {
    public static ProblemDetails of(BrigException refusal) {
        String code = refusal.code().name();
        return new ProblemDetails(
                "urn:brig:error:" + code,
                title(refusal.code()),
                refusal.httpStatus(),
                refusal.getMessage(),
                code,
                refusal.hints());
    }

    private static String title(ErrorCode code) {
        String words = code.name().replace('_', ' ');
        return words.charAt(0) + words.substring(1).toLowerCase(Locale.ROOT);
    }
}
