package brig.workeragent.tunnel.commands;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What agents do with shells besides running commands, as seen of Claude Code 2.1 and Codex 0.169. */
final class ShellHabits {
    /** Claude Code reads there afterwards in which folder a command ended. */
    private static final Pattern RETURNED = Pattern.compile(">\\| (/tmp/claude-[0-9A-Za-z]{1,32}-cwd)$");

    /** Variables that a command may get from the agent; never its keys. */
    private static final Set<String> VARIABLES = Set.of(
            "AI_AGENT",
            "CI",
            "CLAUDECODE",
            "CLICOLOR",
            "COLORTERM",
            "COLUMNS",
            "DEBIAN_FRONTEND",
            "EDITOR",
            "FORCE_COLOR",
            "GH_PAGER",
            "GIT_EDITOR",
            "GIT_PAGER",
            "GIT_TERMINAL_PROMPT",
            "LANG",
            "LANGUAGE",
            "LINES",
            "MANPAGER",
            "NO_COLOR",
            "PAGER",
            "TERM",
            "TZ");

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,63}");
    private static final int VALUE_MAX = 1024;
    private static final int COUNT_MAX = 64;

    private ShellHabits() {}

    /**
     * Whether an agent asks for its own user's aliases, functions and variables, to put them before each command.
     * Without that, it starts a login shell for each, which has those of the other machine.
     */
    static boolean asksForSnapshot(List<String> arguments) {
        String last = arguments.getLast();
        return (last.startsWith("SNAPSHOT_FILE=") && last.contains("/shell-snapshots/"))
                || last.contains("__codex_snapshot_command()");
    }

    /** The file that the agent reads in its own {@code /tmp} after the command; null if there is none. */
    static @Nullable String returnedFile(List<String> arguments) {
        var found = RETURNED.matcher(arguments.getLast());
        return found.find() ? found.group(1) : null;
    }

    /**
     * What of the caller's environment goes to the other machine.
     *
     * @param further names that the operator allows
     */
    static Map<String, String> variables(Map<String, String> environment, Set<String> further) {
        Map<String, String> allowed = new TreeMap<>();
        environment.forEach((name, value) -> {
            boolean listed = VARIABLES.contains(name) || name.startsWith("LC_") || further.contains(name);
            if (listed && NAME.matcher(name).matches() && value.length() <= VALUE_MAX && allowed.size() < COUNT_MAX) {
                allowed.put(name, value);
            }
        });
        return allowed;
    }
}
