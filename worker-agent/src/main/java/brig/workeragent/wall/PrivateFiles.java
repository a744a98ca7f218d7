package brig.workeragent.wall;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/**
 * Matches workspace files that are hidden from agents. A glob with a slash matches the whole path below the workspace,
 * any other the file's name.
 *
 * <p>Decision 0014.
 */
public final class PrivateFiles {
    /** A repository's own list: one pattern per line, except empty lines and lines that begin with #. */
    public static final String LIST = ".brig-private";

    private static final int LIST_BYTES_MAX = 64 * 1024;

    private final List<String> patterns;
    private final FileGlobs globs;

    /** @throws IllegalArgumentException for an invalid glob */
    public PrivateFiles(List<String> patterns) {
        this.patterns = List.copyOf(patterns);
        this.globs = new FileGlobs(patterns);
    }

    /** These patterns, and those of the workspace's own {@link #LIST}. */
    public static PrivateFiles of(Path workspace, List<String> patterns) throws IOException {
        PrivateFiles usual = new PrivateFiles(patterns);
        byte[] list = PlainFile.read(workspace, LIST, LIST_BYTES_MAX);
        return list == null ? usual : usual.and(new String(list, UTF_8));
    }

    /** Adds the patterns of a {@link #LIST}. Invalid lines of it are ignored. */
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
