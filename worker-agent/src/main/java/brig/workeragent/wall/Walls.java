package brig.workeragent.wall;

import brig.protocol.control.Finding;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Builds walls, and diagnoses them on this host. Thread-safe. */
public interface Walls extends AutoCloseable {
    /**
     * The plan of one worker's wall.
     *
     * @param spawnId names everything on the host that belongs to it
     * @param agent the name of its profile
     * @param workspace the real path of the agent's folder on the host
     * @param environment variables for the agent in addition to those of the wall itself
     * @param confinement its permissions, including which of all those variables reach it
     * @param gate serves its network; null for the gate of this host
     * @param remoteShell where its shells lead to; null for the wall's own
     * @param root its root file system
     * @param servers what its programs find on 127.0.0.1
     */
    record Plan(
            String spawnId,
            String agent,
            Path workspace,
            Map<String, String> environment,
            Confinement confinement,
            @Nullable EgressGate gate,
            @Nullable RemoteShell remoteShell,
            Root root,
            List<Server> servers) {
        /** A wall of this host's files with its own shells, whose network this host serves. */
        public Plan(
                String spawnId,
                String agent,
                Path workspace,
                Map<String, String> environment,
                Confinement confinement) {
            this(spawnId, agent, workspace, environment, confinement, null, null, Root.HOST, List.of());
        }

        /** A copy with these servers. */
        public Plan with(List<Server> others) {
            return new Plan(spawnId, agent, workspace, environment, confinement, gate, remoteShell, root, others);
        }
    }

    /** A port that leads to the same port behind another wall, while a process runs there. */
    record Server(int port, Wall behind) {}

    /**
     * Finds or creates the folder that an agent works in.
     *
     * @param requested absolute
     * @return its real path, below one of the configured bases
     * @throws brig.protocol.BrigException {@code WORKSPACE_OUTSIDE_BASE}
     */
    Path workspace(Path requested);

    /** Whether {@link #workspace} would accept that path, as far as can be told without creating anything. */
    void checkWorkspace(Path requested);

    /**
     * Prepares what all processes of a worker share.
     *
     * @throws brig.protocol.BrigException {@code SANDBOX_UNAVAILABLE}, {@code LIMITS_UNAVAILABLE}; nothing is left
     *     behind
     */
    Wall build(Plan plan);

    /** The enforcement level of resource limits on this host, shown by the gateway. */
    String limitsLevel();

    /** Diagnoses the wall by building one; takes as long as starting a worker. */
    List<Finding> findings();

    /** Ends every process behind every wall. */
    @Override
    void close();
}
