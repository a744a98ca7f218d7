package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.workeragent.wall.HostUser;
import brig.workeragent.wall.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The state of a repository before a worktree is made from it.
 *
 * <p>Decision 0013.
 *
 * @param head the checked-out commit
 * @param branches below {@code refs/heads/brig/}, as full names
 * @param config its configuration: key, line feed, value
 * @param tracked files of that commit; in names every character is a byte, as a name may not be valid text
 * @param changed the tracked files with uncommitted changes, and new ones
 * @param privateList the content of its own list of private files
 */
record RepositorySurvey(
        String head,
        Set<String> branches,
        List<String> config,
        List<String> tracked,
        List<String> changed,
        String privateList) {
    private static final int BYTES_MAX = 64 * 1024 * 1024;
    private static final Set<String> SHOWN_SECTIONS = Set.of("core", "extensions", "user");

    /** @param owner the user to read it as; null for the workers' user */
    static RepositorySurvey of(Git git, Path repository, @Nullable HostUser owner, boolean uncommitted) {
        Git.Place place = new Git.Place(repository, true, List.of(), owner);
        return git.run(
                List.of("survey"),
                place,
                Git.NOTHING,
                RepositorySurvey::read,
                uncommitted ? "uncommitted" : "committed");
    }

    /** The same of a commit of a mirror, which has no configuration, no branches and no files. */
    static RepositorySurvey ofMirror(Git git, Path mirror, String commit) {
        return git.run(
                List.of("commit"), new Git.Place(mirror, true, List.of()), Git.NOTHING, RepositorySurvey::read, commit);
    }

    private static RepositorySurvey read(InputStream stdout) throws IOException {
        Sections sections = new Sections(new String(stdout.readNBytes(BYTES_MAX), ISO_8859_1));
        String head = sections.upTo('\n');
        List<String> branches = sections.untilEmpty('\n');
        List<String> config =
                sections.untilEmpty('\0').stream().map(RepositorySurvey::text).toList();
        List<String> tracked = sections.untilEmpty('\0');
        List<String> changed = sections.untilEmpty('\0');
        return new RepositorySurvey(head, Set.copyOf(branches), config, tracked, changed, text(sections.rest()));
    }

    private static String text(String bytes) {
        return new String(bytes.getBytes(ISO_8859_1), UTF_8);
    }

    /** Refuses filters, which are programs that git starts for files, and includes, which may define some. */
    void requireHarmless() {
        for (String entry : config) {
            String key = entry.split("\n", 2)[0].toLowerCase(Locale.ROOT);
            if (key.startsWith("filter.") || key.startsWith("include")) {
                throw BrigException.invalid("repository", "its .git/config has " + key + ", which may start programs");
            }
        }
    }

    /**
     * The part of the configuration that agents see: what git needs to work, and the committer. The rest names hosts,
     * and may contain passwords for them.
     */
    String shownConfig() {
        StringBuilder shown = new StringBuilder();
        for (String entry : config) {
            String[] keyAndValue = entry.split("\n", 2);
            String[] key = keyAndValue[0].split("\\.", -1);
            if (key.length == 2 && SHOWN_SECTIONS.contains(key[0]) && keyAndValue.length == 2) {
                shown.append('[')
                        .append(key[0])
                        .append("]\n\t")
                        .append(key[1])
                        .append(" = \"")
                        .append(keyAndValue[1]
                                .replace("\\", "\\\\")
                                .replace("\"", "\\\"")
                                .replace("\n", "\\n"))
                        .append("\"\n");
            }
        }
        return shown.toString();
    }

    /** The usual private files, and those of the repository's own list if that is tracked. */
    PrivateFiles privateFiles(List<String> usual) {
        PrivateFiles hidden = new PrivateFiles(usual);
        return tracked.contains(PrivateFiles.LIST) ? hidden.and(privateList) : hidden;
    }

    /** A script's input: the private names, or the others. */
    static byte[] list(List<String> names, PrivateFiles hidden, boolean ofHidden) {
        return names.stream()
                .filter(name -> hidden.matches(Path.of(text(name))) == ofHidden)
                .map(name -> name + '\0')
                .collect(Collectors.joining())
                .getBytes(ISO_8859_1);
    }

    /** Reads section by section. */
    private static final class Sections {
        private final String said;
        private int at;

        Sections(String said) {
            this.said = said;
        }

        String upTo(char end) {
            int found = said.indexOf(end, at);
            String part = said.substring(at, found < 0 ? said.length() : found);
            at = found < 0 ? said.length() : found + 1;
            return part;
        }

        List<String> untilEmpty(char end) {
            List<String> parts = new ArrayList<>();
            for (String part = upTo(end); !part.isEmpty(); part = upTo(end)) {
                parts.add(part);
            }
            return parts;
        }

        String rest() {
            return said.substring(at);
        }
    }
}
