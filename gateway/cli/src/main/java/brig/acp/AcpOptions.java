package brig.acp;

import brig.protocol.api.SpawnerRequest;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.PermissionMode;
import brig.protocol.spawn.Setup;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.SpawnRequest.WorkspaceMode;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The user's settings for all sessions.
 *
 * @param agent name of the agent profile
 * @param permissions what happens when the agent asks to use a tool; null for what its profile says
 * @param mode how the editor's folder is used
 * @param place where sessions run
 * @param budget what each session may use up; null for what its profile says
 * @param keep whether sessions continue when the editor ends
 * @param version of Brig, as the editor shows it
 */
public record AcpOptions(
        String agent,
        @Nullable String model,
        @Nullable String policy,
        @Nullable PermissionMode permissions,
        WorkspaceMode mode,
        SpawnRequest.Place place,
        @Nullable Budget budget,
        boolean keep,
        String version) {
    /** Prefix of the project of a session whose workspace is not the editor's folder; the folder follows. */
    private static final String PROJECT = "acp";
    /** The name of this interface. */
    private static final String CLIENT = "acp";

    /** Ends sessions of a killed process; longer than a reconnect after a restart of the gateway takes. */
    private static final int LEASE_SECONDS = 90;

    private static final Pattern NAMEABLE = Pattern.compile("(/[A-Za-z0-9._-]+){1,20}");
    private static final int PROJECT_CHARACTERS_MAX = 120;

    /** The request for a worker that works in that folder of the editor, or in a copy of it. */
    SpawnerRequest.Spawn spawn(String folder) {
        boolean worktree = mode.isWorktree();
        SpawnRequest request = new SpawnRequest(
                null,
                worktree ? null : folder,
                new SpawnRequest.AgentConfig(agent, model, List.of(), null, permissions),
                null,
                false,
                policy,
                mode,
                worktree ? folder : null,
                !worktree,
                new SpawnRequest.Claim(null, SpawnRequest.Claim.LOCAL, project(folder)),
                new SpawnRequest.Bounds(null, 0, keep ? 0 : LEASE_SECONDS, budget, null),
                SpawnRequest.Continuation.NEW,
                null,
                place,
                Setup.NONE);
        return new SpawnerRequest.Spawn(request, CLIENT, null);
    }

    private String project(String folder) {
        boolean named = mode != WorkspaceMode.FOLDER
                && NAMEABLE.matcher(folder).matches()
                && folder.length() <= PROJECT_CHARACTERS_MAX;
        return named ? PROJECT + folder : "";
    }

    /** The editor's folder of a session, from its project and its workspace. */
    static String folder(@Nullable String project, String workspace) {
        return project != null && project.startsWith(PROJECT + "/") ? project.substring(PROJECT.length()) : workspace;
    }
}
