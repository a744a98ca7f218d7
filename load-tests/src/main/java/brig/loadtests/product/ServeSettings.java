package brig.loadtests.product;

import brig.protocol.record.CamelCase;
import brig.protocol.record.OmitEmpty;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The keys of {@code brig.json} that tests set; null or empty means the default.
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
        @Nullable Worker worker,
        @Nullable Cluster cluster) {
    public static final ServeSettings DEFAULTS =
            new ServeSettings(null, null, null, null, null, Map.of(), null, null, null);

    /**
     * The HTTP settings.
     *
     * @param port 0 for a free one
     */
    public record Http(int port) {}

    /**
     * The retention settings.
     *
     * @param bytes of all ended streams
     */
    public record Retention(long bytes) {}

    /**
     * The worker-agent's settings.
     *
     * @param agentDirs folders of profiles; "" for the shipped ones
     * @param policyDirs folders of policies; "" for the shipped ones
     * @param policies names of those that requests may choose
     * @param runsc gVisor's program; "" for where distributions install it
     */
    @CamelCase
    public record Worker(
            @OmitEmpty List<String> workspaceBases,
            @OmitEmpty List<String> agentDirs,
            @OmitEmpty List<String> policyDirs,
            @OmitEmpty List<String> policies,
            @Nullable Egress egress,
            @OmitEmpty String runsc,
            @Nullable Machines vm) {
        /** With the walls that need nothing set. */
        public Worker(
                List<String> workspaceBases,
                List<String> agentDirs,
                List<String> policyDirs,
                List<String> policies,
                @Nullable Egress egress) {
            this(workspaceBases, agentDirs, policyDirs, policies, egress, "", null);
        }

        /** With what second kernels are made of. */
        public static Worker withKernels(String runsc, Machines vm) {
            return new Worker(List.of(), List.of(), List.of(), List.of(), null, runsc, vm);
        }

        private Worker in(String base) {
            return new Worker(List.of(base), agentDirs, policyDirs, policies, egress, runsc, vm);
        }
    }

    /**
     * The settings of virtual machines.
     *
     * @param folder with their kernel
     */
    public record Machines(String folder) {}

    /**
     * The egress settings.
     *
     * @param hosts addresses by host names
     * @param extraRoots files of certificates
     */
    @CamelCase
    public record Egress(Map<String, String> hosts, List<String> extraRoots) {}

    /**
     * The settings of several gateways as one.
     *
     * @param name of this gateway
     * @param credentialsFile one line {@code USER:PASSWORD}
     * @param systemCredentialsFile the same, of the system account
     * @param hosts those that gateways share, by name
     */
    @CamelCase
    public record Cluster(
            List<String> servers,
            String name,
            String credentialsFile,
            String systemCredentialsFile,
            String keyFile,
            int replicas,
            Map<String, SharedHost> hosts) {}

    /**
     * A host that gateways share.
     *
     * @param socket of its worker-agent
     */
    public record SharedHost(String socket) {}

    /** With that many concurrent workers, also per captain. */
    public ServeSettings withWorkers(long max) {
        return withLimits(Map.of("workersMax", max, "workersPerCaptainMax", max));
    }

    public ServeSettings withLimits(Map<String, Long> more) {
        return new ServeSettings(
                stateDir, runtimeDir, agentsDir, spawnerSocket, http, more, retention, worker, cluster);
    }

    public ServeSettings withPort(int port) {
        return new ServeSettings(
                stateDir, runtimeDir, agentsDir, spawnerSocket, new Http(port), limits, retention, worker, cluster);
    }

    public ServeSettings withRetention(long bytes) {
        return new ServeSettings(
                stateDir, runtimeDir, agentsDir, spawnerSocket, http, limits, new Retention(bytes), worker, cluster);
    }

    /** With the test's profiles besides the shipped ones. */
    public ServeSettings withAgents(Path folder) {
        return withWorker(new Worker(List.of(), List.of("", folder.toString()), List.of(), List.of(), null));
    }

    public ServeSettings withWorker(Worker own) {
        return new ServeSettings(stateDir, runtimeDir, agentsDir, spawnerSocket, http, limits, retention, own, cluster);
    }

    public ServeSettings withCluster(Cluster own) {
        return new ServeSettings(stateDir, runtimeDir, agentsDir, spawnerSocket, http, limits, retention, worker, own);
    }

    /** With all files in that folder, and a free port if none was chosen. */
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
                own.in(folder + "/work"),
                cluster);
    }
}
