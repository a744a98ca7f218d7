package brig.workeragent.wall;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.workeragent.sandbox.WallProfile.Mount;
import java.io.IOException;
import java.nio.file.FileVisitOption;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * The workspace files that are hidden from an agent or read-only to it: files with secrets, and files that make a
 * shell, an editor, git or another agent execute something on the host later. Determined before each process; files
 * created or replaced while a process runs are not covered.
 *
 * <p>Decision 0014.
 */
public final class WorkspaceGuard {
    /** Files and folders at the top of a workspace that start something by themselves. */
    public static final List<String> FIXED = List.of(
            ".bashrc",
            ".bash_profile",
            ".bash_login",
            ".bash_logout",
            ".profile",
            ".zshrc",
            ".zprofile",
            ".zshenv",
            ".zlogin",
            ".envrc",
            ".gitmodules",
            ".vscode",
            ".idea",
            ".claude",
            ".opencode",
            ".mcp.json");

    private static final List<String> FIXED_IN_GIT =
            List.of("hooks", "config", "config.worktree", "commondir", "modules");
    private static final Path INSIDE = Path.of("/workspace");
    private static final int DEPTH_MAX = 12;
    private static final int FILES_MAX = 100_000;
    private static final int MASKS_MAX = 500;

    private final Path blank;

    /** @param blank an empty file that no worker can read */
    public WorkspaceGuard(Path blank) {
        this.blank = blank;
    }

    /**
     * The mounts after that of the workspace.
     *
     * @throws BrigException {@code SANDBOX_UNAVAILABLE} if too many files are private
     */
    public List<Mount> mounts(Path workspace, boolean readOnly, List<String> privatePatterns) {
        List<Mount> mounts = readOnly ? new ArrayList<>() : fixed(workspace);
        try {
            PrivateFiles hidden = PrivateFiles.of(workspace, privatePatterns);
            for (Path file : find(workspace, hidden)) {
                mounts.add(new Mount(blank, INSIDE.resolve(workspace.relativize(file)), true));
            }
            return mounts;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.SANDBOX_UNAVAILABLE,
                    "cannot look for private files in " + workspace + ": " + Reason.withFile(e));
        }
    }

    private static List<Mount> fixed(Path workspace) {
        List<Mount> mounts = new ArrayList<>();
        Path git = workspace.resolve(".git");
        if (Files.isDirectory(git, LinkOption.NOFOLLOW_LINKS)) {
            // A mount point cannot be renamed to make room for another .git.
            mounts.add(new Mount(git, INSIDE.resolve(".git"), false));
            FIXED_IN_GIT.forEach(name -> addFixed(mounts, git, INSIDE.resolve(".git"), name));
        } else {
            addFixed(mounts, workspace, INSIDE, ".git");
        }
        FIXED.forEach(name -> addFixed(mounts, workspace, INSIDE, name));
        return mounts;
    }

    /** A link is skipped: a bind mount would show its target. */
    private static void addFixed(List<Mount> mounts, Path folder, Path inside, String name) {
        Path file = folder.resolve(name);
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)
                || Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
            mounts.add(new Mount(file, inside.resolve(name), true));
        }
    }

    private static List<Path> find(Path workspace, PrivateFiles hidden) throws IOException {
        List<Path> found = new ArrayList<>();
        int[] seen = {0};
        Files.walkFileTree(workspace, EnumSet.noneOf(FileVisitOption.class), DEPTH_MAX, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (++seen[0] > FILES_MAX || found.size() > MASKS_MAX) {
                    throw new BrigException(
                            ErrorCode.SANDBOX_UNAVAILABLE,
                            "this workspace has more than " + FILES_MAX + " files or " + MASKS_MAX
                                    + " private ones; let the agent work in a worktree");
                }
                if (attributes.isRegularFile() && hidden.matches(workspace.relativize(file))) {
                    found.add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
                boolean git = folder.equals(workspace.resolve(".git"));
                return git ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
                return FileVisitResult.CONTINUE;
            }
        });
        return found;
    }
}
