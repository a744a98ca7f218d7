package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Worktrees and copies that stay after their spawn, for they have changes. */
@Extensible
public record WorkspacesAnswer(List<KeptWorkspace> workspaces) {
    /**
     * One of them.
     *
     * @param workspaceMode {@code WORKTREE} or {@code COPY}
     * @param source the repository or folder that it was made of
     * @param branch of a worktree; null for a copy
     * @param workspace the folder
     * @param endedMs since when its spawn is over, milliseconds since 1970
     */
    @Extensible
    public record KeptWorkspace(
            String spawnId,
            String taskId,
            WorkspaceMode workspaceMode,
            String source,
            @Nullable String branch,
            String workspace,
            long endedMs) {}
}
