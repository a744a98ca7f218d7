package brig.workeragent.workspace;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** File names in patches, quoted with the escapes of C unless they are plain. Every character is a byte. */
final class PatchNames {
    private static final String LETTERS = "abtnvfr";
    private static final String LETTER_BYTES = "\u0007\b\t\n\u000b\f\r";
    private static final Pattern ESCAPE = Pattern.compile("\\\\(?:([0-3][0-7]{2})|([\"\\\\abtnvfr]))");

    private PatchNames() {}

    /** The content of a quoted name: printable ASCII. */
    static String quote(String name) {
        StringBuilder quoted = new StringBuilder();
        name.chars().forEach(one -> {
            if (one == '"' || one == '\\') {
                quoted.append('\\').append((char) one);
            } else if (one < ' ' || one > '~') {
                quoted.append("\\%03o".formatted(one));
            } else {
                quoted.append((char) one);
            }
        });
        return quoted.toString();
    }

    /** The name after a prefix; null if the text is malformed. */
    static @Nullable String unquote(String text, String prefix) {
        boolean quoted = text.length() >= 2 && text.startsWith("\"") && text.endsWith("\"");
        String name = quoted ? unescape(text.substring(1, text.length() - 1)) : text;
        return name != null && name.startsWith(prefix) ? name.substring(prefix.length()) : null;
    }

    private static @Nullable String unescape(String text) {
        String plain = ESCAPE.matcher(text).replaceAll("");
        return plain.indexOf('\\') >= 0 || plain.indexOf('"') >= 0
                ? null
                : ESCAPE.matcher(text)
                        .replaceAll(found ->
                                Matcher.quoteReplacement(String.valueOf(byteOf(found.group(1), found.group(2)))));
    }

    private static char byteOf(@Nullable String octal, @Nullable String letter) {
        if (octal != null) {
            return (char) Integer.parseInt(octal, 8);
        }
        int known = LETTERS.indexOf(String.valueOf(letter));
        return known < 0 ? String.valueOf(letter).charAt(0) : LETTER_BYTES.charAt(known);
    }
}
