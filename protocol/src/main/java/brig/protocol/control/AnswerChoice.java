package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.OmitEmpty;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An answer to an ask: an option or a text.
 *
 * @param option the id of an offered option
 * @param text the answer in own words, at most {@value #TEXT_BYTES_MAX} bytes; only for asks that take one
 * @param by the captain that answers
 * @param via the interface it came by
 * @param admin whether that captain may change what holds for other sessions too
 */
public record AnswerChoice(
        @NotEmpty @Nullable String option,
        @NotEmpty @Nullable String text,
        @NotEmpty String by,
        @NotEmpty String via,
        @OmitEmpty boolean admin) {
    public static final int TEXT_BYTES_MAX = 16 * 1024;

    /** @throws BrigException {@code INVALID_FIELD} */
    public AnswerChoice {
        requireOne(option, text);
    }

    /** The answer of a captain who is no admin. */
    public AnswerChoice(@Nullable String option, @Nullable String text, String by, String via) {
        this(option, text, by, via, false);
    }

    /** Checks what a client sent. @throws BrigException {@code INVALID_FIELD} */
    public static void requireOne(@Nullable String option, @Nullable String text) {
        if ((option == null) == (text == null)) {
            throw BrigException.invalid("option", "must be given, or text instead of it");
        }
        if (text != null && text.getBytes(StandardCharsets.UTF_8).length > TEXT_BYTES_MAX) {
            throw BrigException.invalid("text", "must have at most " + TEXT_BYTES_MAX + " bytes");
        }
    }
}
