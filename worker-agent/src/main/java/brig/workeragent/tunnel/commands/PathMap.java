package brig.workeragent.tunnel.commands;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Where folders of the wall are on the other machine. By default they are at the same path and nothing is translated.
 * Of two folders, the deeper one decides. All texts are byte strings.
 */
public final class PathMap {
    /** Characters that may belong to a path; one beside a folder's path makes it another path. */
    private static final String IN_PATHS = "/._-+@%~";

    private record Pair(String local, String remote) {}

    private final List<Pair> byLocal = new ArrayList<>();
    private final List<Pair> byRemote = new ArrayList<>();

    /**
     * @param folders the path on the other machine by the path in the wall
     * @throws IllegalArgumentException if one is not absolute and normal, or two are at one place
     */
    public PathMap(Map<String, String> folders) {
        folders.forEach((local, remote) -> byLocal.add(new Pair(normal(local), normal(remote))));
        byRemote.addAll(byLocal);
        byLocal.sort(Comparator.comparing((Pair pair) -> pair.local.length()).reversed());
        byRemote.sort(Comparator.comparing((Pair pair) -> pair.remote.length()).reversed());
        if (byRemote.stream().map(Pair::remote).distinct().count() != byRemote.size()) {
            throw new IllegalArgumentException("two folders are mapped to one");
        }
    }

    private static String normal(String path) {
        boolean odd = !path.startsWith("/")
                || path.endsWith("/")
                || path.contains("//")
                || (path + "/").contains("/../")
                || (path + "/").contains("/./")
                || path.indexOf('\0') >= 0
                || path.indexOf('\n') >= 0;
        if (odd) throw new IllegalArgumentException("'" + path + "' is no absolute, normal folder");
        return path;
    }

    /** A path of the wall, on the other machine. */
    public String toRemote(String path) {
        for (Pair pair : byLocal) {
            if (isBelow(path, pair.local)) return pair.remote + path.substring(pair.local.length());
        }
        return path;
    }

    /** A path of the other machine, in the wall; null if it is a folder of the wall that hides that one. */
    public @Nullable String toLocal(String path) {
        for (Pair pair : byRemote) {
            if (isBelow(path, pair.remote)) return pair.local + path.substring(pair.remote.length());
        }
        return toRemote(path).equals(path) ? path : null;
    }

    /** The text of a command with the paths of the wall that stand in it, on the other machine. */
    public String textToRemote(String text) {
        if (byLocal.stream().allMatch(pair -> pair.local.equals(pair.remote))) return text;
        StringBuilder translated = new StringBuilder(text.length());
        int i = 0;
        while (i < text.length()) {
            Pair found = text.charAt(i) == '/' && startsAt(text, i) ? pairAt(text, i) : null;
            if (found == null) {
                translated.append(text.charAt(i++));
            } else {
                translated.append(found.remote);
                i += found.local.length();
            }
        }
        return translated.toString();
    }

    private static boolean startsAt(String text, int at) {
        return at == 0 || !isInPaths(text.charAt(at - 1));
    }

    private @Nullable Pair pairAt(String text, int at) {
        for (Pair pair : byLocal) {
            int end = at + pair.local.length();
            boolean whole = end == text.length() || (end < text.length() && endsAt(text, end));
            if (whole && text.startsWith(pair.local, at)) return pair;
        }
        return null;
    }

    /** A full stop or a sentence's end may follow a folder's path. */
    private static boolean endsAt(String text, int end) {
        char next = text.charAt(end);
        if (next == '/') return true;
        if (next == '.') return end + 1 == text.length() || Character.isWhitespace(text.charAt(end + 1));
        return !isInPaths(next);
    }

    private static boolean isInPaths(char c) {
        return c > '~' || (c >= '0' && c <= '9') || Character.isAlphabetic(c) || IN_PATHS.indexOf(c) >= 0;
    }

    static boolean isBelow(String path, String folder) {
        return path.equals(folder)
                || (path.startsWith(folder) && (folder.endsWith("/") || path.charAt(folder.length()) == '/'));
    }
}
