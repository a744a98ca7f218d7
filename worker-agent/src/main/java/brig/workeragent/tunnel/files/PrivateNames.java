package brig.workeragent.tunnel.files;

import brig.workeragent.wall.FileGlobs;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.text.Normalizer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Which files of a far folder are private: those that a glob of the policy or of the folder's own list names, all below
 * a folder that one names, the copies that editors keep of them while they are open, and single files that somebody
 * found there. The far file system may take names for the same that differ in case or Unicode form, so here they match
 * as well. Thread-safe.
 */
final class PrivateNames {
    /** Vim, Emacs, nano, Kate and JetBrains' editors; group 1 is the name of the file that is open. */
    private static final List<Pattern> COPIES = List.of(
            Pattern.compile("(.+)\\.(?:sw[a-p]|swpx|kate-swp|bak|orig|save)"),
            Pattern.compile("\\.(.+)\\.(?:sw[a-p]|swpx|kate-swp|un~)"),
            Pattern.compile("(.+?)(?:\\.~\\d+)?~"),
            Pattern.compile("#(.+)#"),
            Pattern.compile("\\.#(.+)"),
            Pattern.compile("(.+)___jb_(?:tmp|old|bak)___"));
    /** Characters that Apple's file systems leave out of a comparison. */
    private static final Pattern IGNORED = Pattern.compile("[\\u200c-\\u200f\\u202a-\\u202e\\u206a-\\u206f\\ufeff]");

    private static final Pattern WILD = Pattern.compile("[*?\\[{\\\\]");

    private final FarPath root;
    private final FileGlobs globs;
    /** The literal beginnings of globs that match a path. */
    private final List<String> beginnings = new ArrayList<>();

    private final Set<FarPath> found = ConcurrentHashMap.newKeySet();

    /**
     * @param globs of the policy
     * @param list the text of the folder's own list; lines that are no globs do not count
     */
    PrivateNames(FarPath root, List<String> globs, String list) {
        this.root = root;
        List<String> all = new ArrayList<>(globs);
        list.lines()
                .map(String::strip)
                .filter(line -> !line.isEmpty() && !line.startsWith("#"))
                .filter(PrivateNames::isGlob)
                .forEach(all::add);
        List<String> folded = all.stream().map(PrivateNames::folded).toList();
        this.globs = new FileGlobs(folded);
        for (String glob : folded) {
            if (glob.indexOf('/') >= 0) {
                Matcher wild = WILD.matcher(glob);
                beginnings.add(wild.find() ? glob.substring(0, wild.start()) : glob);
            }
        }
    }

    private static boolean isGlob(String line) {
        try {
            var _ = new FileGlobs(List.of(folded(line)));
            return true;
        } catch (IllegalArgumentException e) {
            return false;
        }
    }

    /** These files are private too, whatever their names: other hard links of private files. */
    void add(Collection<FarPath> files) {
        found.addAll(files);
    }

    boolean isPrivate(FarPath file) {
        for (FarPath part = file; !part.equals(root); part = part.parent()) {
            if (found.contains(part) || matches(relative(part))) {
                return true;
            }
        }
        return false;
    }

    /** Whether another name for that folder could make files below it public, because a glob names their path. */
    boolean hasPathsBelow(FarPath folder) {
        String inside = relative(folder) + "/";
        boolean holdsFound = found.stream().anyMatch(file -> file.bytes().startsWith(folder.bytes() + "/"));
        return holdsFound
                || beginnings.stream().anyMatch(literal -> literal.startsWith(inside) || inside.startsWith(literal));
    }

    private String relative(FarPath file) {
        return folded(file.text().substring(root.text().length() + 1));
    }

    private boolean matches(String file) {
        try {
            Path path = Path.of(file);
            return globs.matches(path) || copied(path);
        } catch (InvalidPathException notOfThisLocale) {
            return true;
        }
    }

    private boolean copied(Path file) {
        String name = String.valueOf(file.getFileName());
        for (Pattern copy : COPIES) {
            Matcher matcher = copy.matcher(name);
            if (matcher.matches() && globs.matches(file.resolveSibling(matcher.group(1)))) {
                return true;
            }
        }
        return false;
    }

    private static String folded(String text) {
        String composed = Normalizer.normalize(text, Normalizer.Form.NFC);
        return IGNORED.matcher(composed).replaceAll("").toLowerCase(Locale.ROOT);
    }
}
