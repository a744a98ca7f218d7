package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Worktrees and copies that outlived their spawns because they have changes. */
@Extensible
public record WorkspacesAnswer(List<KeptWorkspace> workspaces) {
    /**
     * One such workspace.
     *
     * @param workspaceMode {@code WORKTREE} or {@code COPY}
     * @param source the repository or folder it was made from
     * @param branch the branch of a worktree; null for a copy
     * @param workspace the folder
     * @param endedMs when its spawn ended, milliseconds since 1970
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
