package brig.workeragent.wall;

import java.nio.file.FileSystems;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.PatternSyntaxException;

/** Globs of files below a folder. A glob with a slash matches the whole path, any other the file's name. */
public final class FileGlobs {
    private final List<PathMatcher> ofName = new ArrayList<>();
    private final List<PathMatcher> ofPath = new ArrayList<>();

    /** @throws IllegalArgumentException for an invalid glob */
    public FileGlobs(List<String> patterns) {
        for (String pattern : patterns) {
            try {
                PathMatcher matcher = FileSystems.getDefault().getPathMatcher("glob:" + pattern);
                (pattern.indexOf('/') < 0 ? ofName : ofPath).add(matcher);
            } catch (PatternSyntaxException e) {
                throw new IllegalArgumentException("'" + pattern + "' is no glob: " + e.getDescription());
            }
        }
    }

    /** @param file below the folder, relative to it */
    public boolean matches(Path file) {
        return ofName.stream().anyMatch(matcher -> matcher.matches(file.getFileName()))
                || ofPath.stream().anyMatch(matcher -> matcher.matches(file));
    }
}
