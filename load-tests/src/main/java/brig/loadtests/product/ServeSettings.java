package brig.loadtests.product;

import brig.protocol.record.CamelCase;
import brig.protocol.record.OmitEmpty;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of {@code brig.json} that a test may set; one that is null, or empty, is left at its default.
 *
 * @param limits by their names there
 */
@CamelCase
public record ServeSettings(
        @Nullable String stateDir,
        @Nullable String runtimeDir,
        @Nullable String agentsDir,
        @Nullable String spawnerSocket,
        @Nullable Http http,
        @OmitEmpty Map<String, Long> limits,
        @Nullable Retention retention,
        @Nullable Worker worker) {
    public static final ServeSettings DEFAULTS = new ServeSettings(null, null, null, null, null, Map.of(), null, null);

    /**
     * Where HTTP is served.
     *
     * @param port 0 for one that is free
     */
    public record Http(int port) {}

    /**
     * What is kept of ended spawns.
     *
     * @param bytes of all ended streams
     */
    public record Retention(long bytes) {}

    /**
     * Of the worker-agent.
     *
     * @param agentDirs folders of profiles; "" for those that ship
     * @param policyDirs folders of policies; "" for those that ship
     * @param policies the names of those that requests may choose
     */
    @CamelCase
    public record Worker(
            @OmitEmpty List<String> workspaceBases,
            @OmitEmpty List<String> agentDirs,
            @OmitEmpty List<String> policyDirs,
            @OmitEmpty List<String> policies,
            @Nullable Egress egress) {}

    /**
     * Of requests to the outside.
     *
     * @param hosts addresses by host names
     * @param extraRoots files of certificates
     */
    @CamelCase
    public record Egress(Map<String, String> hosts, List<String> extraRoots) {}

    /** A gateway with so many workers at once, of one captain. */
    public ServeSettings withWorkers(long max) {
        return withLimits(Map.of("workersMax", max, "workersPerCaptainMax", max));
    }

    public ServeSettings withLimits(Map<String, Long> more) {
        return new ServeSettings(stateDir, runtimeDir, agentsDir, spawnerSocket, http, more, retention, worker);
    }

    public ServeSettings withPort(int port) {
        return new ServeSettings(
                stateDir, runtimeDir, agentsDir, spawnerSocket, new Http(port), limits, retention, worker);
    }

    public ServeSettings withRetention(long bytes) {
        return new ServeSettings(
                stateDir, runtimeDir, agentsDir, spawnerSocket, http, limits, new Retention(bytes), worker);
    }

    /** With profiles of the test's own beside those that ship. */
    public ServeSettings withAgents(Path folder) {
        return withWorker(new Worker(List.of(), List.of("", folder.toString()), List.of(), List.of(), null));
    }

    public ServeSettings withWorker(Worker own) {
        return new ServeSettings(stateDir, runtimeDir, agentsDir, spawnerSocket, http, limits, retention, own);
    }

    /** The same with all that is written in that folder, on a port that is free where none was chosen. */
    ServeSettings in(Path folder) {
        Worker own = worker == null ? new Worker(List.of(), List.of(), List.of(), List.of(), null) : worker;
        return new ServeSettings(
                folder + "/state",
                folder + "/run",
                folder + "/io",
                folder + "/spawner.sock",
                http == null ? new Http(0) : http,
                limits,
                retention,
                new Worker(List.of(folder + "/work"), own.agentDirs(), own.policyDirs(), own.policies(), own.egress()));
    }
}
