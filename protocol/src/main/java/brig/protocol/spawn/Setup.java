package brig.protocol.spawn;

import brig.protocol.BrigException;
import brig.protocol.record.OmitEmpty;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * What is there before the agent of a session starts.
 *
 * <p>Decision 0215.
 *
 * @param variables of the environment, as far as the policy lets them in; not for secrets, as requests are kept
 * @param prepare lines for {@code /bin/sh -c}, run one after the other behind the wall in the workspace; one that fails ends
 *     the session
 */
public record Setup(
        @OmitEmpty Map<String, String> variables, @OmitEmpty List<String> prepare) {
    public static final Setup NONE = new Setup(Map.of(), List.of());

    public static final int VARIABLES_MAX = 64;
    public static final int LINES_MAX = 16;
    public static final int TEXT_MAX = 8192;

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");

    /** @throws BrigException {@code INVALID_FIELD} naming the field */
    public Setup {
        if (variables.size() > VARIABLES_MAX) {
            throw BrigException.invalid("variables", "are at most " + VARIABLES_MAX);
        }
        variables.forEach((name, value) -> {
            if (!isVariable(name)) {
                throw BrigException.invalid("variables", "must have names that match " + NAME);
            }
            requireText("variables." + name, value);
        });
        variables = new TreeMap<>(variables);
        if (prepare.size() > LINES_MAX) {
            throw BrigException.invalid("prepare", "has at most " + LINES_MAX + " lines");
        }
        prepare.forEach(line -> {
            if (line.isBlank()) {
                throw BrigException.invalid("prepare", "must not have an empty line");
            }
            requireText("prepare", line);
        });
    }

    /** Whether that may be the name of a variable. */
    public static boolean isVariable(String name) {
        return NAME.matcher(name).matches();
    }

    private static void requireText(String field, String text) {
        if (text.length() > TEXT_MAX || text.indexOf('\0') >= 0) {
            throw BrigException.invalid(field, "must have at most " + TEXT_MAX + " characters, and no NUL");
        }
    }
}
