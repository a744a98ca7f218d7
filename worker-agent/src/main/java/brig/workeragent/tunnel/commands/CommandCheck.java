package brig.workeragent.tunnel.commands;

import brig.workeragent.wall.FileGlobs;
import java.nio.file.FileSystems;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a command for names of private files, where the other machine cannot hide them. It stops accidents, not an
 * agent that means it: {@code docs/security.md} lists what it misses.
 */
final class CommandCheck {
    private static final Pattern QUOTES = Pattern.compile("[\"'\\\\]");
    private static final Pattern BETWEEN_WORDS = Pattern.compile("[\\s;|&<>()=:,`$@!#]+");
    private static final Pattern WILD = Pattern.compile("[*?\\[{]");

    private final FileGlobs globs;

    CommandCheck(List<String> globs) {
        this.globs = new FileGlobs(globs);
    }

    /**
     * The word that stands for a private file, or null.
     *
     * @param arguments byte strings
     * @param known private files that exist; byte strings
     */
    @Nullable
    String privateWord(List<String> arguments, Collection<String> known) {
        for (String argument : arguments) {
            String text = QUOTES.matcher(RemoteScript.text(argument)).replaceAll("");
            for (String word : BETWEEN_WORDS.split(text, -1)) {
                if (!word.isEmpty() && isPrivate(word, known)) return word;
            }
        }
        return null;
    }

    private boolean isPrivate(String word, Collection<String> known) {
        try {
            Path path = Path.of(word).normalize();
            if (path.getFileName() != null && globs.matches(path)) return true;
            return WILD.matcher(word).find() && matchesKnown(word, known);
        } catch (InvalidPathException e) {
            return false;
        }
    }

    /** A pattern of the shell, wherever its folder is. */
    private static boolean matchesKnown(String word, Collection<String> known) {
        String name = word.substring(word.lastIndexOf('/') + 1);
        try {
            var matcher = FileSystems.getDefault().getPathMatcher("glob:" + name);
            return known.stream()
                    .map(file -> Path.of(RemoteScript.text(file)).getFileName())
                    .anyMatch(file -> file != null && !name.equals("*") && matcher.matches(file));
        } catch (PatternSyntaxException noPattern) {
            return false;
        }
    }
}
