package brig.workeragent.home;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.SpawnRequest;
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
 * Homes of agents that stay, one for each captain, agent and project (admins are one captain here): there an agent keeps its sessions, so that one can be gone
 * on with. They lie below the base of workspaces, whose folders belong to the workers' user, and are no workspaces.
 *
 * <p>Decision 0064.
 */
public final class AgentHomes {
    /** Where a home that stays appears behind the wall. */
    static final Path INSIDE = Path.of("/opt/brig/home");

    private static final String FOLDER = ".brig-homes";
    private static final int DIGITS = 24;

    private final Walls walls;
    private final Path base;

    public AgentHomes(Walls walls, Path base) {
        this.walls = walls;
        this.base = base;
    }

    /** What is mounted for a request: the home of its project, or nothing where none is kept. */
    public List<Mount> mounts(AgentProfiles.Named agent, SpawnRequest request, SpawnRequest.Asker asker) {
        String project = project(request);
        if (!agent.profile().keepsHome() || project == null) {
            return List.of();
        }
        Path home = folder(agent.name() + "-" + digest(asker.admin() ? project : asker.captain() + " " + project));
        return List.of(new Mount(home, INSIDE, false));
    }

    /** A folder of that name which belongs to the workers' user, and which no worker has for a workspace. */
    public Path folder(String name) {
        return walls.workspace(base.resolve(FOLDER).resolve(name));
    }

    /** The agent's variables with such a home. */
    public static Map<String, String> environment(Map<String, String> environment, List<Mount> mounts) {
        Map<String, String> all = new TreeMap<>(environment);
        if (!mounts.isEmpty()) {
            all.put("HOME", INSIDE.toString());
        }
        return all;
    }

    /** What the captain calls its project, or else where the agent works; null where that is new each time. */
    private static @Nullable String project(SpawnRequest request) {
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

    /** Refuses a home as a workspace: other sessions lie there. */
    public static Path notOne(Path folder) {
        for (Path name : folder) {
            if (name.toString().equals(FOLDER)) {
                throw new BrigException(ErrorCode.WORKSPACE_OUTSIDE_BASE, "no workspace may be in " + FOLDER);
            }
        }
        return folder;
    }
}
