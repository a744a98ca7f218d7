package brig.formats.permission;

import brig.protocol.json.JsonObject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a tool call is about: a simple command, a file or a URL. A call may be about several.
 *
 * <p>Decision 0150.
 *
 * @param text for the globs of rules
 */
record Subject(Kind kind, String text) {
    enum Kind {
        COMMAND,
        PATH,
        URL,
        /** Nobody can tell. */
        UNCLEAR
    }

    private static final Subject UNCLEAR = new Subject(Kind.UNCLEAR, "");
    private static final Set<String> PATHS = Set.of("file_path", "filePath", "filepath", "path", "notebook_path");
    /** They choose files in addition to a path. */
    private static final Set<String> CHOOSES = Set.of("pattern", "glob");
    /** One spelling for each URL: no user, no default port, no upper case in the host, no % in the path. */
    private static final Pattern PLAIN_URL =
            Pattern.compile("https?://[a-z0-9]([a-z0-9.-]*[a-z0-9])?(:(?!80/|443/)[1-9][0-9]{0,4})?"
                    + "/[A-Za-z0-9._~!$&'()*+,;=:@/-]*([?#][!-~]*)?");

    private static final Pattern DOT_OR_NOTHING = Pattern.compile("\\.{0,2}");

    /** @param input the arguments of the call, or its command: a line for the shell, or a list of words */
    static List<Subject> of(@Nullable Object input) {
        if (input instanceof String || input instanceof List) {
            return commands(input);
        }
        JsonObject fields = JsonObject.element(input);
        List<Subject> subjects = new ArrayList<>();
        for (String name : fields.names()) {
            Object value = fields.value(name);
            if (name.equals("command")) {
                subjects.addAll(commands(value));
            } else if (value instanceof List || value instanceof JsonObject || CHOOSES.contains(name)) {
                subjects.add(UNCLEAR);
            } else if (PATHS.contains(name)) {
                subjects.add(path(value));
            } else if (name.equals("url")) {
                subjects.add(url(value));
            }
        }
        return subjects.isEmpty() ? List.of(UNCLEAR) : subjects;
    }

    private static List<Subject> commands(@Nullable Object value) {
        Optional<List<String>> commands = switch (value) {
            case String line -> ShellCommand.commands(line);
            case List<?> words
            when words.stream().allMatch(String.class::isInstance) ->
                ShellCommand.commands(words.stream().map(String.class::cast).toList());
            case null, default -> Optional.empty();
        };
        return commands.map(all -> all.stream()
                        .map(command -> new Subject(Kind.COMMAND, command))
                        .toList())
                .orElse(List.of(UNCLEAR));
    }

    private static Subject path(@Nullable Object value) {
        return value instanceof String path
                        && isShort(path)
                        && Glob.isPrintable(path)
                        && isStraight(path.startsWith("/") ? path.substring(1) : path)
                ? new Subject(Kind.PATH, path)
                : UNCLEAR;
    }

    private static Subject url(@Nullable Object value) {
        return value instanceof String url
                        && isShort(url)
                        && PLAIN_URL.matcher(url).matches()
                        && isStraight(urlPath(url))
                ? new Subject(Kind.URL, url)
                : UNCLEAR;
    }

    private static String urlPath(String url) {
        String path = url.substring(url.indexOf('/', "https://".length()) + 1).split("[?#]", 2)[0];
        return path.endsWith("/") || path.isEmpty() ? path + "end" : path;
    }

    private static boolean isShort(String text) {
        return text.length() <= ShellCommand.CHARS_MAX;
    }

    /** Whether no segment is {@code ..}, {@code .} or empty, which all are other spellings of a path. */
    private static boolean isStraight(String path) {
        return Stream.of(path.split("/", -1))
                .noneMatch(segment -> DOT_OR_NOTHING.matcher(segment).matches());
    }

    /** Whether the same file may be called otherwise. */
    boolean hasOtherNames() {
        return kind == Kind.PATH && !text.startsWith("/");
    }

    /** The text as a person reads it. */
    String plainText() {
        return text.replace(ShellCommand.SPACE_IN_WORD, ' ');
    }
}
