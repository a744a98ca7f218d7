package brig.workeragent.workspace;

import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import brig.workeragent.wall.HostUser;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What is known of a workspace that Brig made for a spawn.
 *
 * <p>Decision 0017.
 *
 * @param spawnId names it
 * @param taskId the captain's name for it
 * @param kind what it is
 * @param source the real path of what it was made of
 * @param branch of a worktree; empty for a copy
 * @param start the commit that a worktree began with; empty for a copy
 * @param owner who made it
 * @param lender whose repository it was made of, where the workers' user cannot work on it: it then has a store of its own
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
        long endedMs) {
    enum Kind {
        WORKTREE(WorkspaceMode.WORKTREE),
        COPY(WorkspaceMode.COPY);

        private final WorkspaceMode mode;

        Kind(WorkspaceMode mode) {
            this.mode = mode;
        }

        /** As which it is asked for; one that begins with uncommitted changes is no other kind. */
        WorkspaceMode mode() {
            return mode;
        }

        String wireName() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    WorkspaceNote ended(long nowMs) {
        return new WorkspaceNote(spawnId, taskId, kind, source, branch, start, owner, lender, nowMs);
    }

    WorkspaceNote startedAt(String commit) {
        return new WorkspaceNote(spawnId, taskId, kind, source, branch, commit, owner, lender, endedMs);
    }

    boolean isEnded() {
        return endedMs > 0;
    }
}
