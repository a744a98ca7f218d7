package brig.workeragent.wall;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/**
 * Which files of a workspace no agent gets to see. A pattern is a glob; one with a slash is about the whole
 * path below the workspace, any other about the file's name.
 *
 * <p>Decision 0014.
 */
public final class PrivateFiles {
    /** A repository's own list: a pattern a line, empty lines and lines with # in front aside. */
    public static final String LIST = ".brig-private";

    private static final int LIST_BYTES_MAX = 64 * 1024;

    private final List<String> patterns;
    private final FileGlobs globs;

    /** @throws IllegalArgumentException where one is no glob */
    public PrivateFiles(List<String> patterns) {
        this.patterns = List.copyOf(patterns);
        this.globs = new FileGlobs(patterns);
    }

    /** These patterns, and those of the workspace's own {@link #LIST}. */
    public static PrivateFiles of(Path workspace, List<String> patterns) throws IOException {
        PrivateFiles usual = new PrivateFiles(patterns);
        Path list = workspace.resolve(LIST);
        if (!Files.isRegularFile(list, LinkOption.NOFOLLOW_LINKS)) {
            return usual;
        }
        try (InputStream bytes = Files.newInputStream(list, LinkOption.NOFOLLOW_LINKS)) {
            return usual.and(new String(bytes.readNBytes(LIST_BYTES_MAX), UTF_8));
        }
    }

    /** These and those of a {@link #LIST}. A line of it that is no glob hides nothing. */
    public PrivateFiles and(String list) {
        List<String> all = new ArrayList<>(patterns);
        list.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .filter(PrivateFiles::isGlob)
                .forEach(all::add);
        return new PrivateFiles(all);
    }

    private static boolean isGlob(String pattern) {
        try {
            FileSystems.getDefault().getPathMatcher("glob:" + pattern);
            return true;
        } catch (PatternSyntaxException e) {
            return false;
        }
    }

    /** @param file below the workspace, relative to it */
    public boolean matches(Path file) {
        return globs.matches(file);
    }
}
