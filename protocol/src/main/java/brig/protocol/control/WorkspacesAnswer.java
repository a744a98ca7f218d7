package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Worktrees and copies that outlived their spawns because they have changes.
 *
 * @param outOfReach the hosts that could not be asked
 */
@Extensible
public record WorkspacesAnswer(
        List<KeptWorkspace> workspaces, @OmitEmpty List<String> outOfReach) {
    public WorkspacesAnswer(List<KeptWorkspace> workspaces) {
        this(workspaces, List.of());
    }

    /**
     * One such workspace.
     *
     * @param workspaceMode {@code WORKTREE} or {@code COPY}
     * @param source the repository or folder it was made from
     * @param branch the branch of a worktree; null for a copy
     * @param workspace the folder
     * @param host the host that has it, if that is not the gateway's own
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
            long endedMs,
            @Nullable String host) {
        /** The same on that host. */
        public KeptWorkspace on(@Nullable String otherHost) {
            return new KeptWorkspace(spawnId, taskId, workspaceMode, source, branch, workspace, endedMs, otherHost);
        }
    }
}
