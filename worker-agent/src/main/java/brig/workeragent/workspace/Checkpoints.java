package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Checkpoint;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.frame.Frame;
import brig.protocol.io.WholeFile;
import brig.protocol.json.Json;
import brig.protocol.record.Extensible;
import brig.protocol.record.Range;
import brig.workeragent.wall.Confinement;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Checkpoints of worktrees: trees of git, whose objects and index lie beside the worktree, where no agent reaches them.
 * The objects of the repository are borrowed, so that a checkpoint costs only what changed. Blocks; thread-safe, one
 * call at a time per spawn.
 *
 * <p>Decisions 0206, 0209.
 */
final class Checkpoints {
    /**
     * Limits per worktree.
     *
     * @param countMax number of checkpoints; more remove the oldest
     * @param bytesMax of their objects
     */
    record Bounds(int countMax, long bytesMax) {}

    /**
     * The checkpoints of a worktree, oldest first, without its beginning; and the bytes of their objects.
     *
     * @param beginning the tree of its beginning, if that is a checkpoint of another worktree
     */
    @Extensible
    private record Stored(
            @Range long bytes,
            List<Checkpoint> checkpoints,
            @Nullable String beginning) {
        static final Stored NONE = new Stored(0, List.of(), null);

        Stored with(long newBytes, List<Checkpoint> newCheckpoints) {
            return new Stored(newBytes, newCheckpoints, beginning);
        }

        String beginningOf(WorkspaceNote note) {
            return beginning == null ? note.start() : beginning;
        }
    }

    private static final int SAID_BYTES_MAX = 200;
    private static final Pattern TAKEN = Pattern.compile("([0-9a-f]{40,64}) (\\d{1,18}) (\\d{1,18})");
    private static final Pattern FULL = Pattern.compile("full (\\d{1,18}) (\\d{1,18})");
    private static final Pattern SIZE = Pattern.compile("\\d{1,18}");

    private final WorkspaceNotes notes;
    private final Worktrees worktrees;
    private final Git git;
    private final Bounds bounds;
    private final LongSupplier nowMs;

    Checkpoints(WorkspaceNotes notes, Worktrees worktrees, Git git, Bounds bounds, LongSupplier nowMs) {
        this.notes = notes;
        this.worktrees = worktrees;
        this.git = git;
        this.bounds = bounds;
        this.nowMs = nowMs;
    }

    /** All of a worktree, oldest first. Its beginning is one that costs nothing. */
    CheckpointsAnswer list(WorkspaceNote note) throws IOException {
        Stored stored = read(note);
        long madeMs = Files.getLastModifiedTime(notes.configOf(note.spawnId())).toMillis();
        return new CheckpointsAnswer(
                note.spawnId(),
                Stream.concat(
                                Stream.of(new Checkpoint(
                                        0,
                                        stored.beginningOf(note),
                                        Frame.Checkpoint.Cause.BEGINNING,
                                        null,
                                        madeMs,
                                        0)),
                                stored.checkpoints().stream())
                        .toList(),
                stored.bytes());
    }

    /**
     * The checkpoint with that number.
     *
     * @param at null for the newest
     * @throws BrigException {@code NOT_FOUND}
     */
    Checkpoint find(WorkspaceNote note, @Nullable Long at) throws IOException {
        return list(note).checkpoints().reversed().stream()
                .filter(one -> at == null || one.seq() == at)
                .findFirst()
                .orElseThrow(() -> new BrigException(
                        ErrorCode.NOT_FOUND,
                        "this session has no checkpoint at frame " + at + ": 'brig checkpoints' lists those it has"));
    }

    /**
     * Takes a checkpoint.
     *
     * @param restored as in {@link Checkpoint}
     * @throws BrigException {@code CHECKPOINT_UNAVAILABLE} if there is too much to keep
     */
    Checkpoint take(
            WorkspaceNote note,
            Frame.Checkpoint.Cause cause,
            @Nullable Long restored,
            MadeWorkspaces.Numbering numbering)
            throws IOException {
        Path kept = notes.keptOf(note.spawnId());
        if (!Files.isDirectory(kept, LinkOption.NOFOLLOW_LINKS)) {
            notes.makeFolder(String.valueOf(kept.getFileName()));
        }
        String said = run(note, true, "checkpoint", note.start(), Long.toString(bounds.bytesMax()));
        if (FULL.matcher(said).matches() && read(note).checkpoints().size() > 1) {
            prune(note, restored);
            said = run(note, true, "checkpoint", note.start(), Long.toString(bounds.bytesMax()));
        }
        Matcher full = FULL.matcher(said);
        if (full.matches()) {
            throw new BrigException(
                    ErrorCode.CHECKPOINT_UNAVAILABLE,
                    "a checkpoint would keep " + full.group(2) + " bytes of new files beside the " + full.group(1)
                            + " of others, and worker.checkpoints.bytesMax is " + bounds.bytesMax()
                            + ": name large files in .gitignore, or raise it");
        }
        Matcher taken = TAKEN.matcher(said);
        if (!taken.matches()) {
            throw new BrigException(ErrorCode.INTERNAL, "git did not say which tree it made");
        }
        long had = Long.parseLong(taken.group(2));
        long has = Long.parseLong(taken.group(3));
        Checkpoint made = new Checkpoint(0, taken.group(1), cause, restored, nowMs.getAsLong(), has - had);
        return add(note, made, has, numbering);
    }

    private Checkpoint add(WorkspaceNote note, Checkpoint made, long bytes, MadeWorkspaces.Numbering numbering)
            throws IOException {
        long seq = numbering.number(made);
        Stored stored = read(note);
        List<Checkpoint> all = new ArrayList<>(stored.checkpoints());
        Checkpoint numbered =
                new Checkpoint(seq, made.tree(), made.cause(), made.restored(), made.takenMs(), made.bytes());
        // Of an ended session the first one holds what its agent left.
        Checkpoint earlier =
                all.stream().filter(one -> one.seq() == seq).findFirst().orElse(null);
        if (earlier == null) {
            all.add(numbered);
            while (all.size() > bounds.countMax()) {
                all.removeFirst();
            }
        }
        write(note, stored.with(bytes, all));
        return earlier == null ? numbered : earlier;
    }

    /**
     * Removes the older half, and what only they have.
     *
     * @param spared the number of one that stays; null for none
     */
    private void prune(WorkspaceNote note, @Nullable Long spared) throws IOException {
        Stored stored = read(note);
        List<Checkpoint> all = stored.checkpoints();
        long newest = all.get((all.size() + 1) / 2).seq();
        List<Checkpoint> left = all.stream()
                .filter(one -> one.seq() >= newest || (spared != null && one.seq() == spared))
                .toList();
        write(note, stored.with(stored.bytes(), left));
        String said = run(
                note,
                true,
                "prune",
                Stream.concat(
                                Stream.of(note.start(), stored.beginningOf(note)),
                                left.stream().map(Checkpoint::tree))
                        .toArray(String[]::new));
        if (SIZE.matcher(said).matches()) {
            write(note, stored.with(Long.parseLong(said), left));
        }
    }

    /** Makes the worktree what that checkpoint holds. */
    void restore(WorkspaceNote note, Checkpoint checkpoint) throws IOException {
        run(note, false, "restore", note.start(), checkpoint.tree());
    }

    private String run(WorkspaceNote note, boolean readOnly, String script, String... arguments) throws IOException {
        Git.Place look = worktrees.look(note);
        List<Confinement.Mount> mounts = new ArrayList<>(look.mounts());
        mounts.add(Git.Place.writable(notes.keptOf(note.spawnId()), "/kept"));
        return say(List.of("worktree", "kept", script), new Git.Place(look.folder(), readOnly, mounts), arguments);
    }

    private String say(List<String> scripts, Git.Place place, String... arguments) {
        return git.run(scripts, place, Git.NOTHING, Git.Text.upTo(SAID_BYTES_MAX), arguments)
                .text()
                .strip();
    }

    /** Makes a worktree that just began what a checkpoint of another one of the same commit holds. */
    void fork(WorkspaceNote origin, Checkpoint checkpoint, WorkspaceNote note) throws IOException {
        if (checkpoint.tree().equals(note.start())) {
            return;
        }
        Git.Place look = worktrees.look(note);
        Path kept = notes.makeFolder(String.valueOf(notes.keptOf(note.spawnId()).getFileName()));
        List<Confinement.Mount> mounts = new ArrayList<>(look.mounts());
        mounts.add(Git.Place.writable(kept, "/kept"));
        mounts.add(Git.Place.readOnly(notes.keptOf(origin.spawnId()), "/from"));
        String said = say(
                List.of("worktree", "fork"),
                new Git.Place(look.folder(), false, mounts),
                note.start(),
                checkpoint.tree());
        if (!SIZE.matcher(said).matches()) {
            throw new BrigException(ErrorCode.INTERNAL, "git did not say how much it keeps");
        }
        write(note, new Stored(Long.parseLong(said), List.of(), checkpoint.tree()));
    }

    private Stored read(WorkspaceNote note) throws IOException {
        Path file = notes.checkpointsOf(note.spawnId());
        return Files.exists(file) ? Json.read(Files.readAllBytes(file), Stored.class) : Stored.NONE;
    }

    private void write(WorkspaceNote note, Stored stored) throws IOException {
        WholeFile.write(notes.checkpointsOf(note.spawnId()), Json.writeLine(stored));
    }
}
