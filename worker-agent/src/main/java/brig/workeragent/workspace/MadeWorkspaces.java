package brig.workeragent.workspace;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.ApplyAnswer;
import brig.protocol.control.Checkpoint;
import brig.protocol.control.CheckpointsAnswer;
import brig.protocol.control.DiffAnswer;
import brig.protocol.control.Finding;
import brig.protocol.control.FindingStatus;
import brig.protocol.control.MirrorStart;
import brig.protocol.control.WorkspacesAnswer.KeptWorkspace;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.FileGlobs;
import brig.workeragent.wall.ToolWall;
import brig.workeragent.wall.WorkersUser;
import java.io.IOException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Workspaces made for one spawn: git worktrees, and copies of a folder. They lie in the first workspace base, each with
 * a note beside it, so that a diff is possible after the spawn and from another worker-agent. An unchanged workspace is
 * deleted when its spawn ends; a changed one is kept until it is discarded, or for the configured time.
 *
 * <p>Blocks; thread-safe, one call at a time per spawn.
 *
 * <p>Decisions 0017, 0073, 0164.
 */
public final class MadeWorkspaces {
    /** A workspace, and further mounts of its wall, at the same paths as outside. */
    public record Made(Path folder, List<Confinement.Mount> mounts) {}

    /** The operations that depend on the kind. */
    sealed interface Maker permits Worktrees, Copies {
        /** @param stat only which files differ, and by how many lines */
        DiffAnswer diff(WorkspaceNote note, boolean stat) throws IOException;

        /** Requires that nothing of the spawn runs any longer. */
        boolean isChanged(WorkspaceNote note) throws IOException;

        /** Whether its creation was interrupted, so that no agent was ever in it. */
        boolean isUnfinished(WorkspaceNote note) throws IOException;

        /**
         * Deletes all of its parts that exist.
         *
         * @param withCommits including commits that exist nowhere else
         */
        void remove(WorkspaceNote note, boolean withCommits);
    }

    private static final Logger LOG = LoggerFactory.getLogger(MadeWorkspaces.class);

    private static final int VERSION_BYTES_MAX = 200;
    /** No transfer takes longer. */
    private static final long TRANSFER_MS_MAX = 24L * 3600 * 1000;
    /** How long the changes of a spawn on another host may be applied. */
    private static final long LENT_MS = 365L * 24 * 3600 * 1000;

    private final WorkspaceNotes notes;
    private final Git git;
    private final Worktrees worktrees;
    private final Copies copies;
    private final Mirrors mirrors;
    private final Lending lending;
    private final Checkpoints checkpoints;
    private final long keptMs;
    private final LongSupplier nowMs;
    /** Serializes work per workspace and per repository. */
    private final KeyedLock turns = new KeyedLock();

    /**
     * Runs programs on workspaces.
     *
     * @param mirrors the folder of mirrors, out of workers' reach
     */
    public record Tools(ToolWall wall, WorkersUser user, Path cloneProgram, Path mirrors) {}

    /**
     * Limits for each workspace.
     *
     * @param keptMs how long a changed one is kept; 0 for ever
     * @param checkpointsMax the number of its checkpoints; more remove the oldest
     * @param checkpointBytesMax of their objects
     */
    public record Bounds(long keptMs, int checkpointsMax, long checkpointBytesMax) {}

    /**
     * @param bases where workspaces may lie; these are made in the first
     * @param repositories the current further folders whose repositories may be used for worktrees
     * @param nowMs the time, milliseconds since 1970
     */
    public MadeWorkspaces(
            Tools tools, List<Path> bases, Supplier<List<Path>> repositories, Bounds bounds, LongSupplier nowMs) {
        this.notes = new WorkspaceNotes(bases.get(0).toAbsolutePath(), tools.user());
        this.git = new Git(tools.wall());
        Repositories permitted = new Repositories(
                bases, repositories, tools.user().switched() ? tools.user().uid() : null);
        this.mirrors = new Mirrors(tools.mirrors(), tools.user(), git, nowMs);
        this.lending = new Lending(notes, permitted, git, turns);
        this.worktrees = new Worktrees(notes, permitted, git, lending, mirrors);
        this.copies = new Copies(notes, tools.cloneProgram(), git);
        this.checkpoints = new Checkpoints(
                notes,
                worktrees,
                git,
                new Checkpoints.Bounds(bounds.checkpointsMax(), bounds.checkpointBytesMax()),
                nowMs);
        this.keptMs = bounds.keptMs();
        this.nowMs = nowMs;
    }

    private Maker makerOf(WorkspaceNote note) {
        return switch (note.kind()) {
            case WORKTREE -> worktrees;
            case COPY -> copies;
        };
    }

    /**
     * Makes a git worktree for a spawn.
     *
     * @param asker the requester: an admin of a person's own gateway may use any repository of that person
     * @param uncommitted whether to include the repository's changes since its HEAD
     * @param hidden globs of tracked files that are not checked out
     * @throws BrigException {@code WORKSPACE_OUTSIDE_BASE}, {@code INVALID_FIELD}; nothing is left then
     */
    public Made worktree(
            String spawnId,
            String taskId,
            Path repository,
            SpawnRequest.Asker asker,
            boolean uncommitted,
            List<String> hidden) {
        return worktrees.make(spawnId, taskId, repository, asker, uncommitted, hidden);
    }

    /**
     * The same for a repository of another host.
     *
     * @param repository its path there
     * @param start a commit of its mirror here
     * @param hidden as above, in addition to those of {@code start}
     * @throws BrigException {@code NOT_FOUND} if it was not brought, {@code INVALID_FIELD}; nothing is left then
     */
    public Made worktree(String spawnId, String taskId, Path repository, MirrorStart start, List<String> hidden) {
        return worktrees.make(spawnId, taskId, repository, start, hidden);
    }

    /**
     * Makes a copy for a spawn.
     *
     * @param folder a real path below a base
     * @param hidden globs of files that are left out
     * @throws BrigException {@code COPY_UNAVAILABLE}, {@code INVALID_FIELD}; nothing is left then
     */
    public Made copy(String spawnId, String taskId, Path folder, List<String> hidden) {
        return copies.make(spawnId, taskId, folder, hidden);
    }

    /** Further mounts that git needs in a wall around that folder: none, unless it is the worktree of another spawn. */
    public List<Confinement.Mount> mountsBeside(Path folder) {
        try {
            WorkspaceNote note = notes.worktreeAt(folder);
            return note == null ? List.of() : worktrees.mounts(note);
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL, "cannot read what is known of " + folder + ": " + Reason.withFile(e));
        }
    }

    /**
     * The changes in a spawn's workspace; or how the worktree of another one differs from it.
     *
     * @param to the other spawn; null for none
     * @param stat only which files differ, and by how many lines
     * @throws BrigException {@code NOT_FOUND} without one of its own, {@code INVALID_FIELD} if the two have not the same
     *     beginning; {@code WORKSPACE_UNREADABLE}, {@code QUEUE_FULL}
     */
    public DiffAnswer diff(String spawnId, @Nullable String to, boolean stat) {
        if (to == null && isKept(spawnId)) {
            return lending.keptDiff(spawnId, stat);
        }
        if (to == null) {
            return turns.take(spawnId, () -> {
                WorkspaceNote note = notes.read(spawnId);
                return makerOf(note).diff(note, stat);
            });
        }
        if (to.equals(spawnId)) {
            throw BrigException.invalid("to", "must be another session");
        }
        // All take two turns in the same order, so that nobody waits for ever.
        boolean isFirst = spawnId.compareTo(to) < 0;
        return turns.take(
                isFirst ? spawnId : to,
                () -> turns.take(
                        isFirst ? to : spawnId, () -> worktrees.compare(notes.read(spawnId), notes.read(to), stat)));
    }

    /**
     * Applies the missing changes of a worktree to its repository, all or none.
     *
     * @param check only tests whether they apply
     * @param named globs of files that are applied although they are {@link ApplyAnswer.Withheld} otherwise
     * @throws BrigException {@code NOT_FOUND} if the spawn has no worktree, {@code INVALID_FIELD} if it has a copy;
     *     {@code WORKSPACE_UNREADABLE}, {@code QUEUE_FULL}
     */
    public ApplyAnswer apply(String spawnId, boolean check, FileGlobs named) {
        if (isKept(spawnId)) {
            return lending.applyKept(spawnId, check, named);
        }
        return turns.take(spawnId, () -> {
            WorkspaceNote note = notes.read(spawnId);
            if (note.kind() != WorkspaceNote.Kind.WORKTREE) {
                throw BrigException.invalid(
                        "spawn_id", "must be of a spawn with a worktree; changes of a copy: brig diff");
            }
            if (note.mirror() != null) {
                throw BrigException.invalid("spawn_id", "must be of a spawn whose repository is on this host");
            }
            Path patch = notes.patchOf(spawnId);
            try {
                ApplyAnswer answer = lending.applying().apply(note, patch, worktrees.news(note, patch), check, named);
                if (answer.applied()) {
                    notes.addApplied(spawnId, patch);
                }
                return answer;
            } finally {
                Files.deleteIfExists(patch);
            }
        });
    }

    /** Whether its worktree was on a machine that is gone, and what it changed is here. */
    private boolean isKept(String spawnId) {
        return !notes.has(spawnId) && lending.hasKept(spawnId);
    }

    /** Gives a checkpoint its number. */
    @FunctionalInterface
    public interface Numbering {
        /** @return the number of the frame that tells of it */
        long number(Checkpoint made);
    }

    /** Whether that spawn has a workspace that was made for it. */
    public boolean isMade(String spawnId) {
        return notes.has(spawnId);
    }

    /** The checkpoints of a worktree. @throws BrigException {@code NOT_FOUND}, {@code CHECKPOINT_UNAVAILABLE} */
    public CheckpointsAnswer checkpoints(String spawnId) {
        return turns.take(spawnId, () -> checkpoints.list(worktreeOf(spawnId)));
    }

    /**
     * Takes a checkpoint of a worktree.
     *
     * @param cause why
     * @throws BrigException {@code NOT_FOUND}, {@code CHECKPOINT_UNAVAILABLE}, {@code WORKSPACE_UNREADABLE}, {@code
     *     QUEUE_FULL}
     */
    public Checkpoint checkpoint(String spawnId, Frame.Checkpoint.Cause cause, Numbering numbering) {
        return turns.take(spawnId, () -> checkpoints.take(worktreeOf(spawnId), cause, null, numbering));
    }

    /**
     * Makes a worktree what it was at a checkpoint. Nothing may work in it.
     *
     * @param at null for the newest
     * @return a checkpoint of what was there
     * @throws BrigException as above
     */
    public Checkpoint restore(String spawnId, @Nullable Long at, Numbering numbering) {
        return turns.take(spawnId, () -> {
            WorkspaceNote note = worktreeOf(spawnId);
            Checkpoint wanted = checkpoints.find(note, at);
            Checkpoint before = checkpoints.take(note, Frame.Checkpoint.Cause.RESTORE, wanted.seq(), numbering);
            checkpoints.restore(note, wanted);
            return before;
        });
    }

    /**
     * Makes a worktree that begins with a checkpoint of another one, on a branch of its own from the same commit.
     *
     * @param asker the requester, as for a new worktree
     * @param hidden globs of tracked files that are not checked out
     * @throws BrigException as for a new worktree and for {@link #restore}; nothing is left then
     */
    public Made fork(String spawnId, String taskId, ForkedFrom from, SpawnRequest.Asker asker, List<String> hidden) {
        return turns.take(from.spawnId(), () -> {
            WorkspaceNote origin = worktreeOf(from.spawnId());
            Checkpoint checkpoint = checkpoints.find(origin, from.seq());
            return worktrees.fork(
                    spawnId, taskId, origin, asker, hidden, note -> checkpoints.fork(origin, checkpoint, note));
        });
    }

    private WorkspaceNote worktreeOf(String spawnId) {
        WorkspaceNote note = notes.read(spawnId);
        if (note.kind() != WorkspaceNote.Kind.WORKTREE) {
            throw new BrigException(
                    ErrorCode.CHECKPOINT_UNAVAILABLE,
                    "checkpoints are of worktrees, and this session has a copy: start one with --repository");
        }
        return note;
    }

    /** Takes a patch to the repository's host. */
    @FunctionalInterface
    public interface Carrier {
        /** @return whether the repository has it now */
        boolean carry(Path patch) throws IOException;
    }

    /**
     * Gives away the missing changes of a worktree whose repository is on another host.
     *
     * @throws BrigException {@code NOT_FOUND} if the spawn has no worktree, {@code INVALID_FIELD} if it has another
     *     workspace; {@code WORKSPACE_UNREADABLE}, {@code QUEUE_FULL}
     */
    public void carry(String spawnId, Carrier carrier) {
        turns.take(spawnId, () -> {
            WorkspaceNote note = notes.read(spawnId);
            if (note.mirror() == null) {
                throw BrigException.invalid(
                        "spawn_id",
                        "must be of a spawn whose repository is on the gateway's own host; changes: brig diff");
            }
            Path patch = notes.patchOf(spawnId);
            try {
                worktrees.news(note, patch);
                if (carrier.carry(patch)) {
                    notes.addApplied(spawnId, patch);
                }
                return note;
            } finally {
                Files.deleteIfExists(patch);
            }
        });
    }

    /** Repositories of this host, lent to others. */
    public Lending lending() {
        return lending;
    }

    /** Mirrors of repositories of another host. */
    public Mirrors mirrors() {
        return mirrors;
    }

    /** The spawn is over: deletes its workspace, unless it was changed. */
    public void end(String spawnId) {
        try {
            turns.await(spawnId, () -> {
                WorkspaceNote note = notes.read(spawnId);
                if (mayBeChanged(note)) {
                    notes.write(note.ended(nowMs.getAsLong()));
                    LOG.info(
                            "the {} of {} is kept, since it has changes",
                            note.kind().wireName(),
                            spawnId);
                } else {
                    makerOf(note).remove(note, true);
                }
                return note;
            });
            removeExpired();
        } catch (IOException | BrigException e) {
            LOG.warn("workspace of {} stays: {}", spawnId, e.getMessage());
        }
    }

    private boolean mayBeChanged(WorkspaceNote note) {
        try {
            return makerOf(note).isChanged(note);
        } catch (IOException | BrigException e) {
            LOG.warn("cannot tell whether the workspace of {} has changes: {}", note.spawnId(), e.getMessage());
            return true;
        }
    }

    /** Empties a folder that a worker wrote into. */
    public void clear(Path folder) throws IOException {
        git.empty(folder);
    }

    /** How agents' files are processed here, in words for people. */
    public String toolWall() {
        return "git and other programs of the host work on what it writes in a wall of their own each: "
                + git.wall().bounds();
    }

    /** Tests the same with a trial run. */
    public Finding finding() {
        String name = "workspace tools";
        try {
            String version = git.run(
                            List.of("version"),
                            new Git.Place(notes.base().toRealPath(), true, List.of()),
                            Git.NOTHING,
                            Git.Text.upTo(VERSION_BYTES_MAX))
                    .text()
                    .strip();
            return new Finding(
                    name,
                    FindingStatus.OK,
                    version + ": each run on what an agent left has a wall of its own: "
                            + git.wall().bounds() + " (worker.tools)",
                    null);
        } catch (IOException | BrigException e) {
            return new Finding(
                    name,
                    FindingStatus.WARN,
                    "worktrees, diff and apply do not work: " + e.getMessage(),
                    "install git");
        }
    }

    /** The workspaces of ended spawns, oldest spawn first. */
    public List<KeptWorkspace> kept() {
        try {
            return notes.all().stream()
                    .filter(WorkspaceNote::isEnded)
                    .map(note -> new KeptWorkspace(
                            note.spawnId(),
                            note.taskId(),
                            note.kind().mode(),
                            note.source().toString(),
                            note.branch().isEmpty() ? null : note.branch(),
                            notes.folderOf(note.spawnId()).toString(),
                            note.endedMs(),
                            null))
                    .toList();
        } catch (IOException | DirectoryIteratorException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot look for workspaces: " + Reason.withFile(e));
        }
    }

    /**
     * Deletes a workspace with all its changes, and a worktree's branch.
     *
     * @throws BrigException {@code NOT_FOUND}, {@code TASK_ID_IN_USE} while the spawn has not ended
     */
    public void discard(String spawnId) {
        turns.take(spawnId, () -> {
            if (notes.removeLent(spawnId)) {
                return spawnId;
            }
            WorkspaceNote note = notes.read(spawnId);
            if (!note.isEnded()) {
                throw new BrigException(ErrorCode.TASK_ID_IN_USE, "the spawn has not ended; brig terminate ends it");
            }
            makerOf(note).remove(note, true);
            return spawnId;
        });
    }

    /** Nobody requested the deletion, so commits that exist nowhere else stay, on their branch. */
    private void removeExpired() throws IOException {
        long before = nowMs.getAsLong() - keptMs;
        for (WorkspaceNote note : keptMs == 0 ? List.<WorkspaceNote>of() : notes.all()) {
            if (note.isEnded() && note.endedMs() <= before) {
                LOG.info("the {} of {} has expired and is deleted", note.kind().wireName(), note.spawnId());
                turns.await(note.spawnId(), () -> {
                    makerOf(note).remove(note, false);
                    return note;
                });
            }
        }
        notes.removeLentBefore(nowMs.getAsLong() - LENT_MS);
        if (keptMs > 0) {
            mirrors.removeUnused(
                    notes.all().stream()
                            .map(WorkspaceNote::mirror)
                            .filter(Objects::nonNull)
                            .collect(Collectors.toSet()),
                    before);
        }
    }

    /**
     * Ends the workspaces of a worker-agent that is gone, removes its unfinished work, and deletes expired workspaces.
     */
    public void sweep() {
        try {
            for (WorkspaceNote note : notes.all()) {
                sweep(note);
            }
            notes.removeLoansBefore(nowMs.getAsLong() - TRANSFER_MS_MAX);
            mirrors.sweep(nowMs.getAsLong() - TRANSFER_MS_MAX);
            removeExpired();
        } catch (IOException | DirectoryIteratorException | BrigException e) {
            LOG.warn("cannot look for leftovers of a predecessor: {}", e.toString());
        }
    }

    private void sweep(WorkspaceNote note) throws IOException {
        if (!note.isEnded() && note.owner().isGone()) {
            LOG.info("the worker-agent of {} is gone", note.spawnId());
            if (makerOf(note).isUnfinished(note)) {
                makerOf(note).remove(note, true);
            } else {
                end(note.spawnId());
            }
        }
    }
}
