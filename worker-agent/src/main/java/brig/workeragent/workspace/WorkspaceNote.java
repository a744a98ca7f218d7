package brig.workeragent.workspace;

import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import brig.workeragent.wall.HostUser;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The stored facts about a workspace that Brig made for a spawn.
 *
 * <p>Decision 0017.
 *
 * @param spawnId its name
 * @param taskId the captain's name for it
 * @param kind its kind
 * @param source the real path that it was made from
 * @param branch the branch of a worktree; empty for a copy
 * @param start the first commit of a worktree; empty for a copy
 * @param owner the worker-agent that made it
 * @param lender the owner of the source repository, if the workers' user cannot work on it: the worktree then has a
 *     store of its own
 * @param mirror the folder of the mirror that its store borrows from, if the source is on another host; null otherwise
 * @param endedMs when its spawn ended and left changes in it, milliseconds since 1970; 0 before
 */
record WorkspaceNote(
        String spawnId,
        String taskId,
        Kind kind,
        Path source,
        String branch,
        String start,
        WorkerAgentOwner owner,
        @Nullable HostUser lender,
        @Nullable String mirror,
        long endedMs) {
    enum Kind {
        WORKTREE(WorkspaceMode.WORKTREE),
        COPY(WorkspaceMode.COPY);

        private final WorkspaceMode mode;

        Kind(WorkspaceMode mode) {
            this.mode = mode;
        }

        /** The requested mode; a snapshot has the kind of a worktree. */
        WorkspaceMode mode() {
            return mode;
        }

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    WorkspaceNote ended(long nowMs) {
        return new WorkspaceNote(spawnId, taskId, kind, source, branch, start, owner, lender, mirror, nowMs);
    }

    WorkspaceNote startedAt(String commit) {
        return new WorkspaceNote(spawnId, taskId, kind, source, branch, commit, owner, lender, mirror, endedMs);
    }

    /** Whether a worktree has its own objects and branches, and not those of its repository. */
    boolean hasStore() {
        return lender != null || mirror != null;
    }

    boolean isEnded() {
        return endedMs > 0;
    }
}
