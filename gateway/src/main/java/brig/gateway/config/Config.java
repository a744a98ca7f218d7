package brig.gateway.config;

import brig.protocol.json.JsonObject;
import java.util.List;

/**
 * The operator's configuration, documented key by key in {@code config/brig.json}. Ranges are checked here; each
 * message begins with the key concerned.
 */
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
            int port,
            String unixSocket,
            List<String> allowedHosts,
            List<String> allowedOrigins,
            String metricsHost,
            int metricsPort) {
        public Http {
            checkPort("port", port);
            checkPort("metricsPort", metricsPort);
        }

        /** Whether the metrics have an address of their own. */
        public boolean servesMetricsAlone() {
            return !metricsHost.isEmpty();
        }
    }

    /** The format of the gateway's log. */
    public record Log(String format) {
        public Log {
            if (!format.equals("text") && !format.equals("json")) {
                throw new IllegalArgumentException("format must be \"text\" or \"json\"");
            }
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
            int workersMax,
            int workersPerCaptainMax,
            long spawnCooldownMs,
            int spawnQueueMax,
            int connectionsMax,
            int subscriptionsPerStreamMax,
            int retainedBytesPerStream,
            long retainedBytesTotal,
            int writeQueueBytes,
            long slowReaderMs,
            long logBytesPerStream,
            int requestBodyBytes) {
        public Limits {
            atLeast("workersMax", workersMax, 1);
            atLeast("workersPerCaptainMax", workersPerCaptainMax, 1);
            atLeast("spawnCooldownMs", spawnCooldownMs, 0);
            atLeast("spawnQueueMax", spawnQueueMax, 0);
            atLeast("connectionsMax", connectionsMax, 1);
            atLeast("subscriptionsPerStreamMax", subscriptionsPerStreamMax, 1);
            atLeast("retainedBytesPerStream", retainedBytesPerStream, 128 * 1024);
            atLeast("retainedBytesTotal", retainedBytesTotal, retainedBytesPerStream);
            atLeast("writeQueueBytes", writeQueueBytes, 64 * 1024);
            atLeast("slowReaderMs", slowReaderMs, 1000);
            atLeast("logBytesPerStream", logBytesPerStream, 1024 * 1024);
            atLeast("requestBodyBytes", requestBodyBytes, 1024);
        }
    }

    /** How much of ended spawns is kept; 0 is unlimited. */
    public record Retention(int days, long bytes, int spawns) {
        public Retention {
            atLeast("days", days, 0);
            atLeast("bytes", bytes, 0);
            atLeast("spawns", spawns, 0);
        }
    }

    /** Limits for connections: how many there may be of which kind, and how long each may take. */
    public record Connections(
            int reserved,
            int unauthenticatedMax,
            int unauthenticatedPerPeerMax,
            long requestHeadMs,
            long authMs,
            long requestBodyMs,
            long keepAliveMs) {
        public Connections {
            atLeast("reserved", reserved, 0);
            atLeast("unauthenticatedMax", unauthenticatedMax, 8);
            atLeast("unauthenticatedPerPeerMax", unauthenticatedPerPeerMax, 8);
            atLeast("requestHeadMs", requestHeadMs, 100);
            atLeast("authMs", authMs, 100);
            atLeast("requestBodyMs", requestBodyMs, 100);
            atLeast("keepAliveMs", keepAliveMs, 100);
        }
    }

    private static void checkPort(String key, int port) {
        atLeast(key, port, 0);
        if (port > 65535) {
            throw new IllegalArgumentException(key + " must be at most 65535");
        }
    }

    private static void atLeast(String key, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(key + " must be at least " + least);
        }
    }
}
