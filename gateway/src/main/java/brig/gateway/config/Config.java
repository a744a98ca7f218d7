package brig.gateway.config;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import java.util.List;

/**
 * Everything that an operator may choose, as {@code config/brig.json} documents it key by key.
 */
@Settings
public record Config(
        String stateDir,
        String runtimeDir,
        String agentsDir,
        String spawnerSocket,
        List<Integer> allowedUids,
        Http http,
        Log log,
        Traces traces,
        Limits limits,
        Retention retention,
        Connections connections,
        JsonObject worker) {

    /** The addresses and allowed origins of HTTP. */
    public record Http(
            String host,
            @Range(max = PORT_MAX) int port,
            String unixSocket,
            List<String> allowedHosts,
            List<String> allowedOrigins,
            String metricsHost,
            @Range(max = PORT_MAX) int metricsPort) {
        static final int PORT_MAX = 65_535;

        /** Whether the metrics have an address of their own. */
        public boolean servesMetricsAlone() {
            return !metricsHost.isEmpty();
        }
    }

    /** How the gateway's log is written. */
    public record Log(Format format) {
        /** For people, and for programs. */
        public enum Format {
            TEXT,
            JSON
        }
    }

    /** Where traces of spawns are sent; an empty endpoint disables them. */
    public record Traces(String endpoint) {
        public Traces {
            if (!endpoint.isEmpty() && !endpoint.matches("https?://[^/\\s]+(/\\S*)?")) {
                throw new IllegalArgumentException("endpoint must be a URL, such as http://127.0.0.1:4318/v1/traces");
            }
        }
    }

    /** Limits; the consequence of each is documented beside its key in the file. */
    public record Limits(
            @Range(min = 1) int workersMax,
            @Range(min = 1) int workersPerCaptainMax,
            @Range long spawnCooldownMs,
            @Range int spawnQueueMax,
            @Range(min = 1) int connectionsMax,
            @Range(min = 1) int subscriptionsPerStreamMax,
            @Range(min = 128 * 1024) int retainedBytesPerStream,
            long retainedBytesTotal,
            @Range(min = 64 * 1024) int writeQueueBytes,
            @Range(min = 1000) long slowReaderMs,
            @Range(min = 1024 * 1024) long logBytesPerStream,
            @Range(min = 1024) int requestBodyBytes) {
        public Limits {
            if (retainedBytesTotal < retainedBytesPerStream) {
                throw new IllegalArgumentException("retainedBytesTotal must be at least " + retainedBytesPerStream);
            }
        }
    }

    /** What stays of spawns that have ended; 0 is no bound. */
    public record Retention(
            @Range int days, @Range long bytes, @Range int spawns) {}

    /** Limits for connections: how many there may be of which kind, and how long each may take. */
    public record Connections(
            @Range int reserved,
            @Range(min = 8) int unauthenticatedMax,
            @Range(min = 8) int unauthenticatedPerPeerMax,
            @Range(min = 100) long requestHeadMs,
            @Range(min = 100) long authMs,
            @Range(min = 100) long requestBodyMs,
            @Range(min = 100) long keepAliveMs) {}
}
