package brig.workeragent.image;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** The variables that an image wishes for its programs, without those that say who and where a worker is. */
final class ImageVariables {
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Set<String> WALLS_OWN = Set.of("HOME", "USER", "LOGNAME", "SHELL", "TERM", "TMPDIR", "PWD");
    private static final int LENGTH_MAX = 8192;
    private static final int COUNT_MAX = 64;

    private ImageVariables() {}

    /** @param lines {@code NAME=value} each; others have no effect */
    static Map<String, String> read(List<String> lines) {
        Map<String, String> variables = new TreeMap<>();
        for (String line : lines) {
            int equals = line.indexOf('=');
            String name = equals < 0 ? "" : line.substring(0, equals);
            boolean isUsable = NAME.matcher(name).matches()
                    && !WALLS_OWN.contains(name)
                    && line.length() <= LENGTH_MAX
                    && line.indexOf('\0') < 0;
            if (isUsable && variables.size() < COUNT_MAX) {
                variables.put(name, line.substring(equals + 1));
            }
        }
        return variables;
    }
}
