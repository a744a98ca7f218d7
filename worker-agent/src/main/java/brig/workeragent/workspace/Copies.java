package brig.workeragent.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.workeragent.wall.PrivateFiles;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies of a folder, one for a spawn: {@code <base>/<spawn_id>}, which shares its blocks with the folder until
 * somebody writes. Beside it, {@code <base>/<spawn_id>.origin} is a second one that no worker gets to: it says what
 * the agent began with, whatever becomes of the folder meanwhile. Blocks; any thread may call, for one spawn one at
 * a time.
 */
final class Copies implements MadeWorkspaces.Maker {
    private static final Logger LOG = LoggerFactory.getLogger(Copies.class);
    private static final String ORIGIN = ".origin";
    /** git writes it anew when it only looks. */
    private static final Path INDEX = Path.of(".git", "index");
    private static final int FILES_MAX = 100_000;

    private final Notes notes;
    private final Git git;
    private final Path program;

    /** @param program brig-clone, where the workers' user gets to it */
    Copies(Notes notes, Path program) {
        this.notes = notes;
        this.git = new Git(notes.user());
        this.program = program;
    }

    /**
     * Makes the copy for a spawn.
     *
     * @param folder its real path
     * @param hidden which files are left out
     * @throws BrigException {@code COPY_UNAVAILABLE} where the file system cannot share blocks, {@code INVALID_FIELD};
     *     nothing is left then
     */
    MadeWorkspaces.Made make(String spawnId, String taskId, Path folder, List<String> hidden) {
        Note note = new Note(spawnId, taskId, Note.Kind.COPY, folder, "", "", "", Owner.self(), 0);
        try {
            byte[] list = list(folder, PrivateFiles.of(folder, hidden));
            notes.write(note);
            Path copy = notes.makeFolder(spawnId);
            Path origin = notes.makeFolder(spawnId + ORIGIN);
            cloneInto(folder, list, copy);
            cloneInto(copy, list, origin);
            // Its change time now says when the copy was whole: see isChanged.
            Files.setLastModifiedTime(origin, FileTime.fromMillis(0));
            return new MadeWorkspaces.Made(copy, List.of());
        } catch (IOException e) {
            remove(note, true);
            throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "cannot copy " + folder + ": " + e);
        } catch (BrigException e) {
            remove(note, true);
            throw e;
        }
    }

    /** What is to be copied, as brig-clone reads it. Sockets, pipes and devices are not. */
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
                    throw Fields.invalid("workspace", "has more than " + FILES_MAX + " files");
                }
                list.writeBytes(folder.relativize(file).toString().getBytes(UTF_8));
                list.write(0);
            }
        });
        return list.toByteArray();
    }

    private void cloneInto(Path from, byte[] list, Path to) {
        AsWorker.Said said = notes.user().run(
                List.of(program.toString(), from.toString(), to.toString()), Map.of(), list, 0);
        if (said.exitCode() != 0) {
            throw refusal(from, said.complaint());
        }
    }

    private BrigException refusal(Path from, String complaint) {
        String cause = complaint.split(" ", 2)[0];
        String mend = switch (cause) {
            case "EOPNOTSUPP", "ENOTTY" -> "the file system of " + from + " cannot share blocks between files: put the"
                    + " workspaces on XFS or Btrfs";
            case "EXDEV" -> from + " and " + notes.base() + " are not on one file system: put the first of"
                    + " worker.workspaceBases on that of the folder";
            default -> null;
        };
        return mend == null
                ? Fields.invalid("workspace", "cannot be copied by the workers' user: " + complaint)
                : new BrigException(ErrorCode.COPY_UNAVAILABLE,
                        mend + ", or choose workspace_mode worktree or folder (" + complaint + ")");
    }

    /** Compares trees, outside of any repository of the agent's: one of our own takes both in. */
    @Override
    public MadeWorkspaces.Diff diff(Note note, Path scratch) throws IOException {
        Path own = scratch.resolve("repository");
        notes.user().makeFolder(own.resolve("objects"));
        notes.user().makeFolder(own.resolve("refs"));
        Files.writeString(own.resolve("HEAD"), "ref: refs/heads/none\n");
        Path index = own.resolve("index");
        Path copy = notes.folderOf(note.spawnId());
        Git.Place before = new Git.Place(own, own, originOf(note));
        git.stage(before, index);
        String tree = git.run(before, "write-tree").strip();
        AsWorker.Said said = git.diff(new Git.Place(own, own, copy), index, tree);
        return new MadeWorkspaces.Diff(said.text(), said.truncated(), null, copy);
    }

    /**
     * Looks at sizes and times, and not at what files hold: an agent can set a file's time back, but not that of the
     * change.
     */
    @Override
    public boolean isChanged(Note note) throws IOException {
        FileTime whole = changeTime(originOf(note));
        Map<Path, String> copied = look(notes.folderOf(note.spawnId()), whole);
        return !copied.equals(look(originOf(note), whole));
    }

    private static Map<Path, String> look(Path folder, FileTime whole) throws IOException {
        Map<Path, String> files = new TreeMap<>();
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path below, BasicFileAttributes attributes) {
                files.put(folder.relativize(below), "folder");
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Path name = folder.relativize(file);
                if (!name.equals(INDEX)) {
                    files.put(name, changeTime(file).compareTo(whole) > 0 ? "changed"
                            : attributes.size() + " " + attributes.lastModifiedTime());
                }
                return FileVisitResult.CONTINUE;
            }
        });
        return files;
    }

    private static FileTime changeTime(Path file) throws IOException {
        return (FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
    }

    /** The second copy was not made yet, so no agent was ever in the first. */
    @Override
    public boolean isUnfinished(Note note) throws IOException {
        Path origin = originOf(note);
        return !Files.isDirectory(origin, LinkOption.NOFOLLOW_LINKS)
                || Files.getLastModifiedTime(origin, LinkOption.NOFOLLOW_LINKS).toMillis() != 0;
    }

    @Override
    public void remove(Note note, boolean withCommits) {
        try {
            for (Path folder : List.of(notes.folderOf(note.spawnId()), originOf(note))) {
                if (Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)) {
                    notes.user().empty(folder);
                    Files.delete(folder);
                }
            }
            notes.remove(note);
        } catch (IOException | BrigException e) {
            LOG.warn("something of the copy {} stays: {}", note.spawnId(), e.getMessage());
        }
    }

    private Path originOf(Note note) {
        return notes.folderOf(note.spawnId() + ORIGIN);
    }
}
