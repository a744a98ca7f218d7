package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.record.OmitEmpty;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Worktrees and copies that outlived their spawns because they have changes, and kept roots.
 *
 * @param roots what sessions with {@code root_overlay: keep} wrote into their roots
 * @param outOfReach the hosts that could not be asked
 */
@Extensible
public record WorkspacesAnswer(
        List<KeptWorkspace> workspaces,
        @OmitEmpty List<KeptRoot> roots,
        @OmitEmpty List<String> outOfReach) {
    public WorkspacesAnswer(List<KeptWorkspace> workspaces, List<KeptRoot> roots) {
        this(workspaces, roots, List.of());
    }

    /**
     * What the sessions of one project wrote over an image.
     *
     * @param id names it
     * @param captain whose sessions; null for those of all admins
     * @param project {@code project NAME}, or {@code folder PATH} for sessions without one
     * @param digest of the image, which it fits alone
     * @param bytes of its names and files; above the limit it may be more
     * @param usedMs when a session began or ended with it, milliseconds since 1970
     * @param usedBy the spawn_id of the session that has it now; null for none
     * @param host the host that has it, if that is not the gateway's own
     */
    @Extensible
    public record KeptRoot(
            String id,
            @Nullable String captain,
            String project,
            String image,
            String digest,
            long bytes,
            long usedMs,
            @Nullable String usedBy,
            @Nullable String host) {
        private static final Pattern ID = Pattern.compile("root_[0-9a-f]{24}");

        /** Whether a kept root may have that id. */
        public static boolean isId(String text) {
            return ID.matcher(text).matches();
        }

        /** The same on that host. */
        public KeptRoot on(@Nullable String otherHost) {
            return new KeptRoot(id, captain, project, image, digest, bytes, usedMs, usedBy, otherHost);
        }
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
