package brig.workeragent.tunnel.commands;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The host that a command names as its first word: {@code build2: make test}. No program has such a name. Only the text
 * behind {@code -c} is looked at, and in it the beginning, or what Claude Code evaluates.
 *
 * @param arguments without that word
 */
record HostPrefix(String host, List<String> arguments) {
    private static final Pattern FIRST_WORD = Pattern.compile("[ \\t\\n]*+([a-z0-9][a-z0-9-]{0,31}+):(?=[ \\t\\n]|$)");
    /** Nothing that is quoted stands before it. */
    private static final Pattern EVALUATED = Pattern.compile("[^'\"]*+(?<=(?:^|[ ;&|])eval )['\"]");
    /** Long options of bash that take the next argument. */
    private static final List<String> WITH_FILE = List.of("--rcfile", "--init-file");

    /** @param arguments of a shell, its own name first; byte strings. Null if they name no host */
    static @Nullable HostPrefix of(List<String> arguments) {
        int at = commandAt(arguments);
        if (at < 0) return null;
        String command = arguments.get(at);
        Matcher word = FIRST_WORD.matcher(command);
        if (!word.lookingAt() && !evaluated(command, arguments, word)) return null;
        List<String> rest = new ArrayList<>(arguments);
        rest.set(at, command.substring(0, word.start(1)) + command.substring(word.end()));
        return new HostPrefix(word.group(1), List.copyOf(rest));
    }

    private static boolean evaluated(String command, List<String> arguments, Matcher word) {
        if (ShellHabits.returnedFile(arguments) == null) return false;
        Matcher eval = EVALUATED.matcher(command);
        return eval.lookingAt() && word.region(eval.end(), command.length()).lookingAt();
    }

    /** Where the text behind {@code -c} is; -1 if there is none. */
    private static int commandAt(List<String> arguments) {
        boolean isCommand = false;
        for (int i = 1; i < arguments.size(); i++) {
            String argument = arguments.get(i);
            boolean option = argument.length() > 1 && (argument.startsWith("-") || argument.startsWith("+"));
            if (argument.equals("--") || argument.equals("-"))
                return isCommand && i + 1 < arguments.size() ? i + 1 : -1;
            if (!option) return isCommand ? i : -1;
            boolean isShort = !argument.startsWith("--");
            isCommand |= isShort && argument.startsWith("-") && argument.indexOf('c') > 0;
            boolean takesNext =
                    isShort ? argument.endsWith("o") || argument.endsWith("O") : WITH_FILE.contains(argument);
            if (takesNext) i++;
        }
        return -1;
    }
}
