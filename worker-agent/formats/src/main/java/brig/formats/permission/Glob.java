package brig.formats.permission;

import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A pattern of a rule: {@code *} is any text, {@code ?} one character, everything else itself. Matches in linear time.
 *
 * <p>Decision 0150.
 */
final class Glob {
    /** Not inside a word: {@code rm} does not begin in {@code confirm}. */
    private static final String WORD_BEGINS = "(?<![\\p{L}\\p{N}])";

    private final Pattern whole;
    private final Pattern within;

    Glob(String glob) {
        List<String> pieces =
                Arrays.stream(glob.split("\\*+", -1)).map(Glob::piece).toList();
        String first = pieces.getFirst();
        List<String> further = pieces.subList(1, pieces.size());
        // Of each piece the first place suffices, as any text may follow. So there is no backtracking.
        whole = Pattern.compile(
                further.isEmpty()
                        ? first
                        : first + found(further.subList(0, further.size() - 1)) + ".*" + further.getLast());
        within = Pattern.compile("(?>.*?" + WORD_BEGINS + first + ")" + found(further));
    }

    private static String piece(String text) {
        return Arrays.stream(text.split("\\?", -1)).map(Pattern::quote).collect(Collectors.joining("."));
    }

    private static String found(List<String> pieces) {
        return pieces.stream().map(piece -> "(?>.*?" + piece + ")").collect(Collectors.joining());
    }

    boolean matches(String text) {
        return whole.matcher(text).matches();
    }

    /** Whether a part of the text matches that begins where a word may begin. */
    boolean isWithin(String text) {
        return within.matcher(text).lookingAt();
    }

    /** Whether a text is one line of characters that can be seen, with no other space than the usual one. */
    static boolean isPrintable(String text) {
        return text.codePoints().allMatch(point -> switch (Character.getType(point)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            case Character.SPACE_SEPARATOR -> point == ' ';
            default -> true;
        });
    }
}
