package brig.workeragent.wall;

import brig.protocol.control.Finding;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** Builds walls, and says what they are worth on this host. Any thread may call. */
public interface Walls extends AutoCloseable {
    /**
     * What one worker's wall is built from.
     *
     * @param spawnId names everything on the host that belongs to it
     * @param agent the name of its profile
     * @param workspace the real path of the folder of the host that the agent works in
     * @param environment variables for the agent beside those of the wall itself
     * @param confinement what it may see and use; also which of all those variables reach it
     */
    record Plan(
            String spawnId, String agent, Path workspace, Map<String, String> environment, Confinement confinement) {}

    /**
     * Finds or makes the folder that an agent works in.
     *
     * @param requested absolute
     * @return its real path, below one of the configured bases after every link is followed
     * @throws brig.protocol.BrigException {@code WORKSPACE_OUTSIDE_BASE}
     */
    Path workspace(Path requested);

    /** Whether {@link #workspace} would take that path, as far as can be told without making anything. */
    void checkWorkspace(Path requested);

    /**
     * Prepares what all processes of a worker share.
     *
     * @throws brig.protocol.BrigException {@code SANDBOX_UNAVAILABLE}, {@code LIMITS_UNAVAILABLE};
     *     nothing is left behind
     */
    Wall build(Plan plan);

    /** How well resource limits hold on this host, for the gateway to show. */
    String limitsLevel();

    /** What the wall is worth on this host, found by trying; takes as long as starting a worker. */
    List<Finding> findings();

    /** Ends every process behind every wall. */
    @Override
    void close();
}
