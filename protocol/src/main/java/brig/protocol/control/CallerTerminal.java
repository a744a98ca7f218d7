package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.record.Range;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The terminal of a person who asks for a shell.
 *
 * @param term its kind, as in {@code TERM}
 * @param language as in {@code LANG}; null leaves it to the host
 */
public record CallerTerminal(
        @Range(min = 1, max = SIZE_MAX) Integer rows,
        @Range(min = 1, max = SIZE_MAX) Integer columns,
        String term,
        @Nullable String language) {
    public static final int SIZE_MAX = 9999;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._+@-]{0,63}");

    /** @throws BrigException {@code INVALID_FIELD} naming the field */
    public CallerTerminal {
        requireName("term", term);
        if (language != null) {
            requireName("language", language);
        }
    }

    private static void requireName(String field, String text) {
        if (!isName(text)) {
            throw BrigException.invalid(field, "must match " + NAME);
        }
    }

    /** Whether a terminal or a language may have that name. */
    public static boolean isName(String text) {
        return NAME.matcher(text).matches();
    }
}
