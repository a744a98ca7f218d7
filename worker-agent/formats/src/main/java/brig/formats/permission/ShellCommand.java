package brig.formats.permission;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Splits a line for bash or sh into its simple commands, or does not understand it. It understands words, quotes,
 * comments, and the operators between commands. It does not understand whatever the shell replaces (variables, globs,
 * braces, tildes, substitutions), files that the shell opens, assignments, and the shell's own language.
 *
 * <p>Decision 0150.
 */
final class ShellCommand {
    static final int CHARS_MAX = 64 * 1024;
    /** Stands for a space inside a word, so that it is not taken for the space between two words. */
    static final char SPACE_IN_WORD = '\u00a0';

    private static final String PLAIN = "_-./:,@%+=^";
    private static final String STDERR_TO_STDOUT = "2>&1";
    private static final Pattern PROGRAM = Pattern.compile("[A-Za-z0-9_./:+][A-Za-z0-9_./:+-]*");
    private static final Pattern SHELL = Pattern.compile("((/usr)?/bin/)?(ba)?sh");
    /** Words of the shell's language, and builtins that run their arguments or change what later words mean. */
    private static final Set<String> LANGUAGE = Set.of(
            "if",
            "then",
            "else",
            "elif",
            "fi",
            "for",
            "in",
            "while",
            "until",
            "do",
            "done",
            "case",
            "esac",
            "select",
            "function",
            "time",
            "coproc",
            "eval",
            "exec",
            "source",
            ".",
            "command",
            "builtin",
            "alias",
            "trap");

    private final String line;
    private int at;
    private final List<String> commands = new ArrayList<>();
    private final List<String> words = new ArrayList<>();
    /** The word that is being read; null between words. */
    private @Nullable StringBuilder word;
    /** Whether the last operator needs a command behind it. */
    private boolean isOpen;

    private ShellCommand(String line) {
        this.line = line;
    }

    /** The simple commands of a line: the words without their quotes, with spaces between. Empty: not understood. */
    static Optional<List<String>> commands(String line) {
        ShellCommand command = new ShellCommand(line);
        return command.readAll() ? Optional.of(command.commands) : Optional.empty();
    }

    /** The simple commands of a program with its arguments; several if it is a shell with a script. Empty: not understood. */
    static Optional<List<String>> commands(List<String> words) {
        ShellCommand command = new ShellCommand("");
        words.forEach(word -> command.words.add(word.replace(' ', SPACE_IN_WORD)));
        boolean isUnderstood = isText(String.join("", words)) && command.endCommand() && !command.commands.isEmpty();
        return isUnderstood ? Optional.of(command.commands) : Optional.empty();
    }

    private boolean readAll() {
        if (!isText(line)) {
            return false;
        }
        while (at < line.length()) {
            if (!read(line.charAt(at++))) {
                return false;
            }
        }
        return endCommand() && !isOpen && !commands.isEmpty();
    }

    private static boolean isText(String text) {
        return text.length() <= CHARS_MAX
                && Glob.isPrintable(text.replace('\n', ' ').replace('\t', ' '));
    }

    private boolean read(char next) {
        return switch (next) {
            case ' ', '\t' -> endWord();
            case '\n' -> endCommand();
            case ';', '&', '|' -> readOperator(next);
            case '\'' -> readSingleQuoted();
            case '"' -> readDoubleQuoted();
            case '\\' -> readEscaped();
            case '#' -> word == null ? skipComment() : add('#');
            case '~' -> !isTildeExpanded() && add('~');
            default -> (word == null && skipStderrToStdout()) || (isPlain(next) && add(next));
        };
    }

    private static boolean isPlain(char next) {
        return Character.isLetterOrDigit(next) || PLAIN.indexOf(next) >= 0;
    }

    private boolean isTildeExpanded() {
        return word == null || word.isEmpty() || "=:".indexOf(word.charAt(word.length() - 1)) >= 0;
    }

    private boolean readOperator(char operator) {
        boolean isDouble = operator != ';' && at < line.length() && line.charAt(at) == operator;
        if (isDouble) {
            at++;
        }
        int before = commands.size();
        boolean isUnderstood = endCommand() && commands.size() > before;
        isOpen = isDouble || operator == '|';
        return isUnderstood;
    }

    /** No file is opened by it, and so many commands have it that without it people would be asked all the time. */
    private boolean skipStderrToStdout() {
        int end = at - 1 + STDERR_TO_STDOUT.length();
        boolean isThere = line.startsWith(STDERR_TO_STDOUT, at - 1)
                && (end == line.length() || " \t\n;&|".indexOf(line.charAt(end)) >= 0);
        if (isThere) {
            at = end;
        }
        return isThere;
    }

    private boolean skipComment() {
        int end = line.indexOf('\n', at);
        at = end < 0 ? line.length() : end;
        return true;
    }

    private boolean readSingleQuoted() {
        beginWord();
        while (at < line.length()) {
            char next = line.charAt(at++);
            if (next == '\'') {
                return true;
            }
            add(next);
        }
        return false;
    }

    private boolean readDoubleQuoted() {
        beginWord();
        while (at < line.length()) {
            char next = line.charAt(at++);
            if (next == '"') {
                return true;
            }
            boolean isEscape = next == '\\' && at < line.length() && "$`\"\\\n".indexOf(line.charAt(at)) >= 0;
            boolean isUnderstood = isEscape ? readEscaped() : "$`!".indexOf(next) < 0 && add(next);
            if (!isUnderstood) {
                return false;
            }
        }
        return false;
    }

    /** What follows a backslash; an end of a line is left out. */
    private boolean readEscaped() {
        if (at == line.length()) {
            return false;
        }
        char next = line.charAt(at++);
        return next == '\n' || add(next);
    }

    private StringBuilder beginWord() {
        StringBuilder begun = word == null ? new StringBuilder() : word;
        word = begun;
        return begun;
    }

    private boolean add(char next) {
        beginWord().append(next == ' ' ? SPACE_IN_WORD : next);
        return true;
    }

    private boolean endWord() {
        if (word != null) {
            words.add(word.toString());
            word = null;
        }
        return true;
    }

    private boolean endCommand() {
        endWord();
        if (words.isEmpty()) {
            return true;
        }
        List<String> ended = List.copyOf(words);
        words.clear();
        isOpen = false;
        String program = ended.getFirst();
        if (!PROGRAM.matcher(program).matches() || LANGUAGE.contains(program)) {
            return false;
        }
        boolean isShell = SHELL.matcher(program).matches();
        if (isShell && ended.size() == 3 && ended.get(1).matches("-l?c")) {
            return commands(ended.get(2).replace(SPACE_IN_WORD, ' '))
                    .map(commands::addAll)
                    .orElse(false);
        }
        String command = String.join(" ", ended);
        commands.add(command);
        boolean isOneLine = command.indexOf('\n') < 0 && command.indexOf('\t') < 0;
        return isOneLine && (!isShell || (ended.size() > 1 && !ended.get(1).matches("[-+].*")));
    }
}
