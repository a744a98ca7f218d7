package brig.protocol;

import java.util.function.IntPredicate;

/**
 * Text from elsewhere that stands among Brig's own words: a name, a path, a reason. Whatever could command a terminal, begin a
 * line that nobody wrote, turn the order of letters round or hide itself is made visible, in the form that JSON has for it
 * ({@code \}{@code u001b}). So JSON stays the same JSON. It is for people's eyes: nothing reads it back.
 *
 * <p>Decision 0112.
 */
public final class VisibleText {
    /** Letters that are drawn as nothing, though Unicode does not call them format characters. */
    private static final String BLANK_LETTERS = "\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u3164\uffa0";

    private VisibleText() {}

    /** On one line. */
    public static String of(String text) {
        return visible(text, VisibleText::isPlain);
    }

    /** On as many lines as it has, with its tabs. */
    public static String lines(String text) {
        return visible(text, point -> point == '\n' || point == '\t' || isPlain(point));
    }

    /** Whether a character shows as itself, and changes nothing of what is beside it. */
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

    /** Whether a character makes others be drawn in an order that is not theirs: what a person reads is not what is there. */
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

    /** Appends the visible form of a character. */
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
