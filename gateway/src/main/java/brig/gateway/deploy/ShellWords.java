package brig.gateway.deploy;

import java.util.List;
import java.util.stream.Collectors;

/** Command lines for POSIX shells. */
public final class ShellWords {
    private ShellWords() {}

    /** Each word is one argument, whatever its characters. */
    public static String line(List<String> words) {
        return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
    }

    public static String quoted(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
