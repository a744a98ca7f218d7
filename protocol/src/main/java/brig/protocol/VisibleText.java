package brig.protocol;

import java.util.function.IntPredicate;

/**
 * Makes untrusted text (a name, a path, a reason) safe to show among Brig's own words. Characters that could control a
 * terminal, fake a new line, reorder text or be invisible are escaped as in JSON ({@code \}{@code u001b}). JSON input
 * remains equivalent JSON. The output is for people; nothing parses it back.
 *
 * <p>Decision 0112.
 */
public final class VisibleText {
    /** Letters without a glyph that Unicode does not classify as format characters. */
    private static final String BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0";

    private VisibleText() {}

    /** Escapes the text to one line. */
    public static String of(String text) {
        return visible(text, VisibleText::isPlain);
    }

    /** Escapes the text, but keeps its line breaks and tabs. */
    public static String lines(String text) {
        return visible(text, point -> point == '\n' || point == '\t' || isPlain(point));
    }

    /** Whether a character is shown as itself and does not affect its neighbours. */
    public static boolean isPlain(int point) {
        return switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> BLANK_LETTERS.indexOf(point) < 0;
        };
    }

    /** Whether a character changes the visual order of others, so that the text reads differently from its content. */
    public static boolean isReordering(int point) {
        return (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);
    }

    private static String visible(String text, IntPredicate plain) {
        if (text.codePoints().allMatch(plain)) {
            return text;
        }
        StringBuilder visible = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(point -> {
            if (plain.test(point)) {
                visible.appendCodePoint(point);
            } else {
                append(visible, point);
            }
        });
        return visible.toString();
    }

    /** Appends the escaped form of a character. */
    public static void append(StringBuilder visible, int point) {
        switch (point) {
            case '\n' -> visible.append("\\n");
            case '\r' -> visible.append("\\r");
            case '\t' -> visible.append("\\t");
            default -> {
                for (char unit : Character.toChars(point)) {
                    visible.append("\\u%04x".formatted((int) unit));
                }
            }
        }
    }
}
