package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.record.Default;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Range;
import brig.workeragent.wall.HostUser;
import brig.workeragent.wall.WorkersUser;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The notes beside the workspaces that Brig made, {@code <base>/<spawn_id>.worktree} or {@code .copy}. Workers cannot
 * reach them, and they outlive this worker-agent. Blocks; thread-safe, one call at a time per spawn.
 */
record WorkspaceNotes(Path base, WorkersUser user) {
    /** The stored form of a note, without the parts in its file name. */
    @Extensible
    private record Stored(
            @Nullable String taskId,
            @NotEmpty String source,
            @Default("") String branch,
            @Default("") String start,
            WorkerAgentOwner owner,
            @Nullable Lender lender,
            @Nullable String mirror,
            @Range long endedMs) {}

    @Extensible
    private record Lender(
            @Range(min = 1) int uid, @Range(min = 1) int gid) {}

    private static final String LENT = ".lent";
    private static final Logger LOG = LoggerFactory.getLogger(WorkspaceNotes.class);

    /** The workspace of a note. */
    Path folderOf(String spawnId) {
        return base.resolve(spawnId);
    }

    /** The repository's configuration as a worktree's agents see it; beside the note, out of their reach. */
    Path configOf(String spawnId) {
        return base.resolve(spawnId + ".config");
    }

    /** The initial index of a worktree, independent of the agent's own. */
    Path indexOf(String spawnId) {
        return base.resolve(spawnId + ".index");
    }

    /** The patches of a worktree that its repository has already, in the order of their names. */
    Path appliedOf(String spawnId) {
        return base.resolve(spawnId + ".applied");
    }

    /** The objects and the index of a worktree's checkpoints; no wall of an agent has it. */
    Path keptOf(String spawnId) {
        return base.resolve(spawnId + ".kept");
    }

    /** The list of them, which the tool wall has not. */
    Path checkpointsOf(String spawnId) {
        return base.resolve(spawnId + ".checkpoints");
    }

    /** The objects and branches of a worktree whose repository belongs to another user. */
    Path storeOf(String spawnId) {
        return base.resolve(spawnId + ".git");
    }

    /** A temporary file exchanged with the owner of a repository: a pack, a patch or a configuration. */
    Path lentOf(String spawnId, String what) {
        return base.resolve(spawnId + ".lent-" + what);
    }

    /** The changes of a spawn whose machine is gone, as they came. */
    Path homeOf(String spawnId) {
        return lentOf(spawnId, "home");
    }

    /** A patch that is being examined. */
    Path patchOf(String spawnId) {
        return base.resolve(spawnId + ".patch");
    }

    /** Content of a file beside the note, readable by the workers' user. */
    interface Content {
        void writeTo(OutputStream file) throws IOException;
    }

    /** Writes such a file atomically. */
    void store(Path file, Content content) throws IOException {
        store(file, content, null);
    }

    /** @param reader the only user who may read it; null for the workers' user */
    void store(Path file, Content content, @Nullable HostUser reader) throws IOException {
        WholeFile.write(file, base.resolve("." + file.getFileName()), fresh -> {
            try (OutputStream out = new BufferedOutputStream(Files.newOutputStream(fresh))) {
                content.writeTo(out);
            }
            if (reader == null) {
                user.give(fresh);
            } else {
                reader.give(fresh);
            }
        });
    }

    /** Records the patch as applied to the repository. */
    void addApplied(String spawnId, Path patch) throws IOException {
        Path folder = appliedOf(spawnId);
        if (!Files.isDirectory(folder)) {
            Files.createDirectory(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            user.give(folder);
        }
        try (Stream<Path> there = Files.list(folder)) {
            Files.move(patch, folder.resolve("%06d".formatted(there.count())), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    /** Records the patches of another worktree as applied. */
    void copyApplied(String from, String spawnId) throws IOException {
        if (Files.isDirectory(appliedOf(from))) {
            try (Stream<Path> patches = Files.list(appliedOf(from))) {
                for (Path patch : patches.sorted().toList()) {
                    Path copy = patchOf(spawnId);
                    store(copy, file -> Files.copy(patch, file));
                    addApplied(spawnId, copy);
                }
            }
        }
    }

    /** The note of the worktree at that real path; null for none. */
    @Nullable
    WorkspaceNote worktreeAt(Path folder) throws IOException {
        Path name = folder.getFileName();
        boolean made = name != null
                && folder.equals(base.toRealPath().resolve(name))
                && Files.exists(fileOf(name.toString(), WorkspaceNote.Kind.WORKTREE))
                && Files.exists(configOf(name.toString()));
        return made ? read(name.toString(), WorkspaceNote.Kind.WORKTREE) : null;
    }

    /** Creates an empty workspace that belongs to the worker's user alone. @return its real path */
    Path makeFolder(String name) throws IOException {
        Path folder = Files.createDirectory(
                base.toRealPath().resolve(name),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        user.give(folder);
        return folder;
    }

    void write(WorkspaceNote note) throws IOException {
        write(note, fileOf(note.spawnId(), note.kind()));
    }

    /** Notes that the spawn is on another host, and its changes may be applied to that source. */
    void writeLent(WorkspaceNote note) throws IOException {
        write(note, lentTo(note.spawnId()));
    }

    /** @throws BrigException {@code NOT_FOUND} */
    WorkspaceNote readLent(String spawnId) throws IOException {
        if (!Files.exists(lentTo(spawnId))) {
            throw new BrigException(ErrorCode.NOT_FOUND, "no repository of this host was lent to this spawn");
        }
        return read(spawnId, WorkspaceNote.Kind.WORKTREE, lentTo(spawnId));
    }

    /**
     * Also removes changes that were kept.
     *
     * @return whether there was such a note
     */
    boolean removeLent(String spawnId) throws IOException {
        Files.deleteIfExists(homeOf(spawnId));
        return Files.deleteIfExists(lentTo(spawnId));
    }

    /** Removes those that are older than that. */
    void removeLentBefore(long ms) throws IOException {
        removeBefore(base, "spn_*" + LENT, ms);
        removeBefore(base, "spn_*" + LENT + "-home", ms);
    }

    /** A new place for a pack that is lent. */
    Path loan() {
        return base.resolve("loan-" + Ids.newEpoch());
    }

    /** Removes packs that a predecessor left. */
    void removeLoansBefore(long ms) throws IOException {
        removeBefore(base, "{,.}loan-*", ms);
    }

    static void removeBefore(Path folder, String names, long ms) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, names)) {
            for (Path file : files) {
                if (Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toMillis() < ms) {
                    Files.deleteIfExists(file);
                }
            }
        }
    }

    private Path lentTo(String spawnId) {
        return base.resolve(spawnId + LENT);
    }

    private void write(WorkspaceNote note, Path file) throws IOException {
        HostUser lender = note.lender();
        Stored stored = new Stored(
                note.taskId(),
                note.source().toString(),
                note.branch(),
                note.start(),
                note.owner(),
                lender == null ? null : new Lender(lender.uid(), lender.gid()),
                note.mirror(),
                note.endedMs());
        WholeFile.write(file, Json.writeLine(stored));
    }

    void remove(WorkspaceNote note) throws IOException {
        Path applied = appliedOf(note.spawnId());
        if (Files.isDirectory(applied)) {
            try (DirectoryStream<Path> patches = Files.newDirectoryStream(applied)) {
                for (Path patch : patches) {
                    Files.delete(patch);
                }
            }
            Files.delete(applied);
        }
        Files.deleteIfExists(patchOf(note.spawnId()));
        for (String what : List.of("pack", "patch", "config")) {
            Files.deleteIfExists(lentOf(note.spawnId(), what));
        }
        Files.deleteIfExists(checkpointsOf(note.spawnId()));
        Files.deleteIfExists(indexOf(note.spawnId()));
        Files.deleteIfExists(configOf(note.spawnId()));
        Files.deleteIfExists(fileOf(note.spawnId(), note.kind()));
    }

    boolean has(String spawnId) {
        return Stream.of(WorkspaceNote.Kind.values()).anyMatch(kind -> Files.exists(fileOf(spawnId, kind)));
    }

    /** @throws BrigException {@code NOT_FOUND} */
    WorkspaceNote read(String spawnId) {
        for (WorkspaceNote.Kind kind : WorkspaceNote.Kind.values()) {
            if (Files.exists(fileOf(spawnId, kind))) {
                try {
                    return read(spawnId, kind);
                } catch (IOException e) {
                    throw new BrigException(
                            ErrorCode.INTERNAL, "cannot read what is known of " + spawnId + ": " + Reason.withFile(e));
                }
            }
        }
        throw new BrigException(
                ErrorCode.NOT_FOUND,
                "this spawn has no worktree and no copy; one without changes is removed when its spawn ends");
    }

    private WorkspaceNote read(String spawnId, WorkspaceNote.Kind kind) throws IOException {
        return read(spawnId, kind, fileOf(spawnId, kind));
    }

    private static WorkspaceNote read(String spawnId, WorkspaceNote.Kind kind, Path file) throws IOException {
        Stored note = Json.read(Files.readAllBytes(file), Stored.class);
        Lender lender = note.lender();
        return new WorkspaceNote(
                spawnId,
                note.taskId() == null ? spawnId : note.taskId(),
                kind,
                Path.of(note.source()),
                note.branch(),
                note.start(),
                note.owner(),
                lender == null ? null : new HostUser(lender.uid(), lender.gid()),
                note.mirror(),
                note.endedMs());
    }

    /** All readable notes, oldest spawn first. */
    List<WorkspaceNote> all() throws IOException {
        List<WorkspaceNote> all = new ArrayList<>();
        for (WorkspaceNote.Kind kind : WorkspaceNote.Kind.values()) {
            String suffix = "." + kind.wireName();
            try (DirectoryStream<Path> files = Files.newDirectoryStream(base, "spn_*" + suffix)) {
                for (Path file : files) {
                    String name = String.valueOf(file.getFileName());
                    try {
                        all.add(read(name.substring(0, name.length() - suffix.length()), kind));
                    } catch (BrigException | IOException e) {
                        LOG.warn("{} cannot be read, and what it is about stays: {}", file, e.getMessage());
                    }
                }
            }
        }
        all.sort(Comparator.comparing(WorkspaceNote::spawnId));
        return all;
    }

    private Path fileOf(String spawnId, WorkspaceNote.Kind kind) {
        return base.resolve(spawnId + "." + kind.wireName());
    }
}
