package brig.workeragent.tunnel.commands;

import brig.workeragent.wall.FileGlobs;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Finds the private files of the other machine, and hides them there from commands: each is covered by
 * {@code /dev/null} in a mount namespace that commands enter. Names are searched for below the tunnel's folder and near
 * the top of the home, their other hard links in both.
 *
 * <p>Found are the files that exist at that time. Until the next search, a new one can be read.
 */
final class PrivateMasks {
    private static final int HIDDEN_MAX = 500;
    private static final String HOME_DEPTH = "3";
    private static final Pattern MASKED = Pattern.compile("masked ([0-9]{1,9})");
    private static final String NOT_MASKED = "unmasked ";
    private static final int REASON_MAX = 300;

    /**
     * @param holder the process whose namespace hides the files; 0 if there is none
     * @param reason why there is none
     * @param files the private files that were found; byte strings
     */
    record Masks(long holder, String reason, Set<String> files) {
        boolean enforced() {
            return holder > 0;
        }
    }

    private final String root;
    private final List<String> globs;
    private final FileGlobs all;
    private final FileGlobs ofName;

    /**
     * @param root the tunnel's folder; a byte string
     * @throws IllegalArgumentException for an invalid glob
     */
    PrivateMasks(String root, List<String> globs) {
        this.root = root;
        this.globs = List.copyOf(globs);
        this.all = new FileGlobs(globs);
        this.ofName = new FileGlobs(names(globs));
    }

    private static List<String> names(List<String> globs) {
        return globs.stream().filter(glob -> glob.indexOf('/') < 0).toList();
    }

    boolean isEmpty() {
        return globs.isEmpty();
    }

    /**
     * Searches and hides. What fails is said in the answer, except for the end of the link.
     *
     * @param before files that were hidden until now, and stay so
     */
    Masks search(Keeper keeper, Set<String> before) throws IOException, InterruptedException {
        Set<String> files = find(keeper);
        files.addAll(before);
        files.addAll(links(keeper, files));
        if (keeper.nsenter().isEmpty()) return new Masks(0, "it has no nsenter of util-linux", files);
        if (files.size() > HIDDEN_MAX) return new Masks(0, "it has more than " + HIDDEN_MAX + " private files", files);
        String answer = keeper.mask(foldersOf(files), List.copyOf(files));
        var masked = MASKED.matcher(answer);
        if (masked.matches()) {
            long holder = Long.parseLong(masked.group(1));
            keeper.hold(holder);
            return new Masks(holder, "", files);
        }
        return new Masks(0, reason(answer), files);
    }

    /** All above the files but the root, from the top down. */
    static List<String> foldersOf(Set<String> files) {
        Set<String> folders = new TreeSet<>(Comparator.comparing(String::length).thenComparing(folder -> folder));
        for (String file : files) {
            for (int end = file.lastIndexOf('/'); end > 0; end = file.lastIndexOf('/', end - 1)) {
                folders.add(file.substring(0, end));
            }
        }
        return List.copyOf(folders);
    }

    private static String reason(String answer) {
        if (!answer.startsWith(NOT_MASKED)) return "its answer was no answer";
        String reason = answer.substring(NOT_MASKED.length()).replaceAll("[^ -~]", "?");
        return reason.substring(0, Math.min(REASON_MAX, reason.length()));
    }

    private Set<String> find(Keeper keeper) throws IOException, InterruptedException {
        Set<String> found = new TreeSet<>();
        for (String file : keeper.find(search(root, globs, List.of()))) {
            if (isPrivate(file, root, all)) found.add(file);
        }
        List<String> names = names(globs);
        if (names.isEmpty() || !keeper.home().startsWith("/") || keeper.home().equals(root)) return found;
        for (String file : keeper.find(search(keeper.home(), names, List.of("-maxdepth", HOME_DEPTH)))) {
            if (isPrivate(file, keeper.home(), ofName)) found.add(file);
        }
        return found;
    }

    private static boolean isPrivate(String file, String folder, FileGlobs globs) {
        if (!PathMap.isBelow(file, folder) || file.length() == folder.length()) return false;
        try {
            String below = file.substring(folder.endsWith("/") ? folder.length() : folder.length() + 1);
            return globs.matches(Path.of(RemoteScript.text(below)));
        } catch (InvalidPathException noPathHere) {
            return true;
        }
    }

    /** Wider than the globs, as find's patterns say less: {@link #isPrivate} decides. */
    static List<String> search(String folder, List<String> globs, List<String> options) {
        List<String> arguments = new ArrayList<>(List.of("-H", folder));
        arguments.addAll(options);
        arguments.addAll(List.of("(", "-type", "f", "-o", "-type", "l", ")", "("));
        for (String glob : globs) {
            if (!arguments.getLast().equals("(")) arguments.add("-o");
            String wide = RemoteScript.bytes(glob)
                    .replaceAll("\\{[^}]*}", "*")
                    .replaceAll("\\\\.", "?")
                    .replaceAll("\\[[^]]*]", "?")
                    .replaceAll("[{}\\[\\]]", "*");
            arguments.add(glob.indexOf('/') < 0 ? "-name" : "-path");
            arguments.add(glob.indexOf('/') < 0 ? wide : folder.replaceAll("[*?\\[\\\\]", "\\\\$0") + "/" + wide);
        }
        arguments.addAll(List.of(")", "-print0"));
        return arguments;
    }

    private List<String> links(Keeper keeper, Set<String> files) throws IOException, InterruptedException {
        if (files.isEmpty() || files.size() > HIDDEN_MAX) return List.of();
        List<String> several = new ArrayList<>(List.of("-H"));
        several.addAll(files);
        several.addAll(List.of("-maxdepth", "0", "-type", "f", "-links", "+1", "-print0"));
        List<String> linked = keeper.find(several);
        if (linked.isEmpty()) return List.of();
        List<String> search = new ArrayList<>(List.of("-H", root));
        if (keeper.home().startsWith("/") && !PathMap.isBelow(keeper.home(), root)) search.add(keeper.home());
        search.addAll(List.of("-xdev", "-type", "f", "-links", "+1", "("));
        for (String file : linked) {
            if (!search.getLast().equals("(")) search.add("-o");
            search.add("-samefile");
            search.add(file);
        }
        search.addAll(List.of(")", "-print0"));
        return keeper.find(search);
    }
}
