package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.DiffAnswer;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PrivateFiles;
import brig.workeragent.wall.ToolWall;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of a folder, one per spawn: {@code <base>/<spawn_id>}, copy-on-write clones of the folder. A second clone
 * beside it, {@code <base>/<spawn_id>.origin}, is out of workers' reach and preserves the agent's starting point,
 * whatever happens to the folder. Blocks; thread-safe, one call at a time per spawn.
 *
 * <p>Decision 0016.
 */
final class Copies implements MadeWorkspaces.Maker {
    private static final Logger LOG = LoggerFactory.getLogger(Copies.class);
    private static final String ORIGIN = ".origin";
    private static final int FILES_MAX = 100_000;

    private final WorkspaceNotes notes;
    private final Path program;
    private final Git git;

    /** @param program brig-clone, at a path that the workers' user can reach */
    Copies(WorkspaceNotes notes, Path program, Git git) {
        this.notes = notes;
        this.program = program;
        this.git = git;
    }

    /**
     * Makes the copy for a spawn.
     *
     * @param folder its real path
     * @param hidden which files are left out
     * @throws BrigException {@code COPY_UNAVAILABLE} if the file system cannot share blocks, {@code INVALID_FIELD};
     *     nothing is left then
     */
    MadeWorkspaces.Made make(String spawnId, String taskId, Path folder, List<String> hidden) {
        WorkspaceNote note = new WorkspaceNote(
                spawnId, taskId, WorkspaceNote.Kind.COPY, folder, "", "", WorkerAgentOwner.self(), null, null, 0);
        try {
            byte[] list = list(folder, PrivateFiles.of(folder, hidden));
            notes.write(note);
            Path copy = notes.makeFolder(spawnId);
            Path origin = notes.makeFolder(spawnId + ORIGIN);
            cloneInto(folder, list, copy);
            cloneInto(copy, list, origin);
            // Its change time now tells when the copy was complete: see isChanged.
            Files.setLastModifiedTime(origin, FileTime.fromMillis(0));
            return new MadeWorkspaces.Made(copy, List.of());
        } catch (IOException e) {
            remove(note, true);
            throw Reason.refusal(ErrorCode.WORKSPACE_OUTSIDE_BASE, "cannot copy " + folder, e);
        } catch (BrigException e) {
            remove(note, true);
            throw e;
        }
    }

    /** The files to copy, in brig-clone's format. Sockets, pipes and devices are left out. */
    private static byte[] list(Path folder, PrivateFiles hidden) throws IOException {
        ByteArrayOutputStream list = new ByteArrayOutputStream();
        int[] seen = {0};
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path below, BasicFileAttributes attributes) {
                if (!below.equals(folder)) {
                    add(below);
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
                if (!attributes.isOther() && !hidden.matches(folder.relativize(file))) {
                    add(file);
                }
                return FileVisitResult.CONTINUE;
            }

            private void add(Path file) {
                if (++seen[0] > FILES_MAX) {
                    throw BrigException.invalid("workspace", "has more than " + FILES_MAX + " files");
                }
                list.writeBytes(folder.relativize(file).toString().getBytes(UTF_8));
                list.write(0);
            }
        });
        return list.toByteArray();
    }

    private void cloneInto(Path from, byte[] list, Path to) {
        List<Confinement.Mount> mounts =
                List.of(Git.Place.readOnly(from, "/source"), Git.Place.readOnly(program, "/brig-clone"));
        ToolWall.Said<Git.Text> said =
                git.attempt(List.of("clone"), new Git.Place(to, false, mounts), list, Git.Text.upTo(0));
        if (said.exitCode() != 0) {
            throw refusal(from, said.complaint());
        }
    }

    private BrigException refusal(Path from, String complaint) {
        String cause = complaint.split(" ", 2)[0];
        String mend = switch (cause) {
            case "EOPNOTSUPP", "ENOTTY" ->
                "the file system of " + from + " cannot share blocks between files: put the"
                        + " workspaces on XFS or Btrfs";
            case "EXDEV" ->
                from + " and " + notes.base() + " are not on one file system, or this"
                        + " Linux is older than 5.18: put the first of worker.workspaceBases on that of the folder";
            default -> null;
        };
        return mend == null
                ? BrigException.invalid("workspace", "cannot be copied by the workers' user: " + complaint)
                : new BrigException(
                        ErrorCode.COPY_UNAVAILABLE,
                        mend + ", or choose workspace_mode worktree or folder (" + complaint + ")");
    }

    /** The difference to the agent's starting point. */
    @Override
    public DiffAnswer diff(WorkspaceNote note, boolean stat) throws IOException {
        Git.Text said = git.run(
                List.of("copies", "copy-diff"),
                look(note),
                Git.NOTHING,
                Git.Text.upTo(Worktrees.SHOWN_BYTES_MAX),
                wholeAt(note),
                Worktrees.form(stat));
        return new DiffAnswer(
                note.spawnId(), null, null, notes.folderOf(note.spawnId()).toString(), said.text(), said.truncated());
    }

    /** Compares names, sizes and times, not contents. */
    @Override
    public boolean isChanged(WorkspaceNote note) throws IOException {
        return !git.run(List.of("copies", "copy-changed"), look(note), Git.NOTHING, Git.Text.upTo(1), wholeAt(note))
                .text()
                .isEmpty();
    }

    private Git.Place look(WorkspaceNote note) throws IOException {
        return new Git.Place(
                notes.folderOf(note.spawnId()).toRealPath(),
                true,
                List.of(Git.Place.readOnly(originOf(note).toRealPath(), "/origin")));
    }

    /** When the copy was complete: the second clone's change time, in seconds since 1970. */
    private String wholeAt(WorkspaceNote note) throws IOException {
        Instant whole =
                ((FileTime) Files.getAttribute(originOf(note), "unix:ctime", LinkOption.NOFOLLOW_LINKS)).toInstant();
        return "%d.%09d".formatted(whole.getEpochSecond(), whole.getNano());
    }

    /** Without a second clone no agent was ever in the first. */
    @Override
    public boolean isUnfinished(WorkspaceNote note) throws IOException {
        Path origin = originOf(note);
        return !Files.isDirectory(origin, LinkOption.NOFOLLOW_LINKS)
                || Files.getLastModifiedTime(origin, LinkOption.NOFOLLOW_LINKS).toMillis() != 0;
    }

    @Override
    public void remove(WorkspaceNote note, boolean withCommits) {
        try {
            for (Path folder : List.of(notes.folderOf(note.spawnId()), originOf(note))) {
                if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                    git.empty(folder);
                    Files.delete(folder);
                }
            }
            notes.remove(note);
        } catch (IOException | BrigException e) {
            LOG.warn("parts of the copy {} were not deleted: {}", note.spawnId(), e.getMessage());
        }
    }

    private Path originOf(WorkspaceNote note) {
        return notes.folderOf(note.spawnId() + ORIGIN);
    }
}
