package brig.cli.terminal;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * A key that a person pressed, of those that Brig's own screens use.
 *
 * @param character what was typed; 0 for another key
 */
public record TypedKey(Kind kind, int character) {
    private static final char ESCAPE = 0x1b;
    private static final int INTERRUPT = 3;
    private static final int END = 4;
    private static final int DELETE = 0x7f;
    private static final Map<String, Kind> SEQUENCES = Map.of(
            "A", Kind.UP,
            "B", Kind.DOWN,
            "5~", Kind.PAGE_UP,
            "6~", Kind.PAGE_DOWN,
            "H", Kind.HOME,
            "F", Kind.END,
            "1~", Kind.HOME,
            "4~", Kind.END);

    /** What the key is. */
    public enum Kind {
        CHARACTER,
        ENTER,
        ERASE,
        ESCAPE,
        UP,
        DOWN,
        PAGE_UP,
        PAGE_DOWN,
        HOME,
        END,
        /** Ctrl-C, Ctrl-D. */
        LEAVE,
        OTHER
    }

    private static TypedKey of(Kind kind) {
        return new TypedKey(kind, 0);
    }

    /** Whether it is that character. */
    public boolean is(char wanted) {
        return kind == Kind.CHARACTER && character == wanted;
    }

    /** The keys in what a terminal sent at once. */
    public static List<TypedKey> read(String typed) {
        List<TypedKey> keys = new ArrayList<>();
        for (int at = 0; at < typed.length(); ) {
            int point = typed.codePointAt(at);
            at += Character.charCount(point);
            if (point == ESCAPE && at < typed.length() && (typed.charAt(at) == '[' || typed.charAt(at) == 'O')) {
                int end = at + 1;
                while (end < typed.length() && typed.charAt(end) < '@') {
                    end++;
                }
                end = Math.min(end + 1, typed.length());
                keys.add(of(SEQUENCES.getOrDefault(typed.substring(at + 1, end), Kind.OTHER)));
                at = end;
            } else {
                keys.add(simple(point));
            }
        }
        return keys;
    }

    private static TypedKey simple(int point) {
        return switch (point) {
            case '\r', '\n' -> of(Kind.ENTER);
            case '\b', DELETE -> of(Kind.ERASE);
            case ESCAPE -> of(Kind.ESCAPE);
            case INTERRUPT, END -> of(Kind.LEAVE);
            default -> point < ' ' ? of(Kind.OTHER) : new TypedKey(Kind.CHARACTER, point);
        };
    }
}
