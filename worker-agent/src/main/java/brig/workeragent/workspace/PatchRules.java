package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.control.ApplyAnswer.Withheld;
import brig.protocol.control.ApplyAnswer.Withheld.Reason;
import brig.workeragent.wall.FileGlobs;
import brig.workeragent.wall.WorkspaceGuard;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The parts of a patch that are never applied to a repository, or only if a person names them.
 *
 * <p>Decision 0105.
 */
final class PatchRules {
    /**
     * Files, and folders of files, that make a shell, an editor, git, a package manager or an agent start something by
     * itself, in any folder.
     */
    private static final List<String> STARTUP = Stream.concat(
                    WorkspaceGuard.FIXED.stream(),
                    Stream.of(
                            ".gitattributes",
                            ".githooks",
                            ".husky",
                            ".pre-commit-config.yaml",
                            ".devcontainer",
                            ".exrc",
                            ".vimrc",
                            ".nvimrc",
                            ".nvim.lua",
                            ".dir-locals.el",
                            "opencode.json",
                            ".codex",
                            ".cursor",
                            ".gemini",
                            ".npmrc",
                            ".yarnrc",
                            ".yarnrc.yml",
                            ".mise.toml"))
            .toList();

    private static final int STAT_FILES_MAX = 200;
    private static final int GRAPH_MAX = 40;

    private PatchRules() {}

    /** Paths that are never applied: inside a .git, or not below the repository. */
    static List<String> refused(List<FileChange> changes) {
        return changes.stream()
                .filter(change -> !isBelow(change.parts()))
                .map(change -> PatchNames.quote(change.path()) + ": no change is taken there")
                .toList();
    }

    private static boolean isBelow(List<String> parts) {
        return parts.stream()
                .noneMatch(part -> part.isEmpty()
                        || part.equals(".")
                        || part.equals("..")
                        || part.indexOf('\0') >= 0
                        || isGit(part));
    }

    private static boolean isGit(String part) {
        return part.equalsIgnoreCase(".git");
    }

    /** The files that have to be named and are not. */
    static List<Withheld> withheld(List<FileChange> changes, FileGlobs named) {
        List<Withheld> withheld = new ArrayList<>();
        for (FileChange change : changes) {
            Reason reason = reason(change);
            Path path = Path.of(new String(change.path().getBytes(ISO_8859_1), UTF_8));
            if (reason != null && !named.matches(path)) {
                withheld.add(new Withheld(PatchNames.quote(change.path()), reason));
            }
        }
        return withheld;
    }

    private static @Nullable Reason reason(FileChange change) {
        boolean there = change.newMode() != FileChange.NONE;
        if (change.newMode() == FileChange.REPOSITORY || change.oldMode() == FileChange.REPOSITORY) {
            return Reason.REPOSITORY;
        }
        if (change.newMode() == FileChange.LINK && !staysBelow(change)) {
            return Reason.LINK_OUT;
        }
        if (there && change.parts().stream().anyMatch(part -> STARTUP.contains(part.toLowerCase(Locale.ROOT)))) {
            return Reason.STARTUP_FILE;
        }
        boolean becomes = change.newMode() == FileChange.EXECUTABLE && change.oldMode() != FileChange.EXECUTABLE;
        return becomes ? Reason.EXECUTABLE : null;
    }

    /** Judged by its text alone, so no step back may follow a component that may be a link itself. */
    private static boolean staysBelow(FileChange link) {
        String target = link.linkTarget();
        if (target == null || target.isEmpty() || target.startsWith("/")) {
            return false;
        }
        int depth = link.parts().size() - 1;
        boolean down = false;
        for (String part : target.split("/", -1)) {
            if (part.equals("..")) {
                depth--;
                if (down || depth < 0) {
                    return false;
                }
            } else if (isGit(part)) {
                return false;
            } else if (!part.isEmpty() && !part.equals(".")) {
                down = true;
            }
        }
        return true;
    }

    /** Files and line counts, as git shows them. */
    static String stat(List<FileChange> changes) {
        StringBuilder stat = new StringBuilder();
        changes.stream()
                .limit(STAT_FILES_MAX)
                .forEach(change -> stat.append(' ')
                        .append(PatchNames.quote(change.path()))
                        .append(" | ")
                        .append(change.binary() ? "Bin" : lines(change))
                        .append('\n'));
        if (changes.size() > STAT_FILES_MAX) {
            stat.append(" …\n");
        }
        return stat.append(" ")
                .append(changes.size())
                .append(changes.size() == 1 ? " file" : " files")
                .append(" changed, ")
                .append(changes.stream().mapToLong(FileChange::added).sum())
                .append(" insertions(+), ")
                .append(changes.stream().mapToLong(FileChange::removed).sum())
                .append(" deletions(-)\n")
                .toString();
    }

    private static String lines(FileChange change) {
        long all = change.added() + change.removed();
        long shown = Math.min(all, GRAPH_MAX);
        long plus = all == 0 ? 0 : (change.added() * shown + all - 1) / all;
        return all + (all == 0 ? "" : " ") + "+".repeat((int) plus) + "-".repeat((int) (shown - plus));
    }
}
