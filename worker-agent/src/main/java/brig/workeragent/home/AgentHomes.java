package brig.workeragent.home;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.control.Fork;
import brig.protocol.spawn.SpawnRequest;
import brig.workeragent.profile.AgentProfile;
import brig.workeragent.profile.AgentProfiles;
import brig.workeragent.wall.Confinement.Mount;
import brig.workeragent.wall.Walls;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Persistent homes of agents, one per captain, agent and project (all admins count as one captain). Agents keep
 * sessions there, so that they can be continued. The homes lie below the base of workspaces, whose folders belong to
 * the workers' user, but are not workspaces.
 *
 * <p>Decisions 0064, 0212.
 */
public final class AgentHomes {
    /** Where a persistent home appears behind the wall. */
    static final Path INSIDE = Path.of("/opt/brig/home");

    private static final String FOLDER = ".brig-homes";
    private static final int DIGITS = 24;

    private final Walls walls;
    private final Path base;

    public AgentHomes(Walls walls, Path base) {
        this.walls = walls;
        this.base = base;
    }

    /** The mount for a request: the home of its project, or nothing if none is kept. */
    public List<Mount> mounts(AgentProfiles.Named agent, SpawnRequest request, SpawnRequest.Asker asker) {
        String project = project(request);
        if (!agent.profile().keepsHome() || project == null) {
            return List.of();
        }
        Path home = folder(agent.name() + "-" + digest(asker.admin() ? project : asker.captain() + " " + project));
        return List.of(new Mount(home, INSIDE, false));
    }

    /** What the agent of a fork begins with: without the session before where its home has no such session. */
    public static @Nullable Fork known(AgentProfile profile, List<Mount> mounts, @Nullable Fork fork) {
        boolean copies = fork != null
                && fork.session() != null
                && profile.oneProcess()
                && mounts.stream().anyMatch(home -> SessionFiles.has(home.hostPath(), profile.fork(), fork.session()));
        return fork == null || copies ? fork : fork.withoutSession();
    }

    /** A folder of that name owned by the workers' user that cannot be a workspace. */
    public Path folder(String name) {
        return walls.workspace(base.resolve(FOLDER).resolve(name));
    }

    /** Adapts the agent's variables to such a home. */
    public static Map<String, String> environment(Map<String, String> environment, List<Mount> mounts) {
        Map<String, String> all = new TreeMap<>(environment);
        if (!mounts.isEmpty()) {
            all.put("HOME", INSIDE.toString());
        }
        return all;
    }

    /** The captain's name for its project, else the agent's folder; null if that is new each time. */
    public static @Nullable String project(SpawnRequest request) {
        String named = request.claim().project();
        String place = request.repository() == null ? request.workspace() : request.repository();
        return named.isEmpty() ? place == null ? null : "folder " + place : "project " + named;
    }

    private static String digest(String project) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(project.getBytes(UTF_8));
            return HexFormat.of().formatHex(hash).substring(0, DIGITS);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Refuses a home as a workspace, since it holds other sessions. */
    public static Path notOne(Path folder) {
        for (Path name : folder) {
            if (name.toString().equals(FOLDER)) {
                throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "no workspace may be in " + FOLDER);
            }
        }
        return folder;
    }
}
