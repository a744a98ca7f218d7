package brig.gateway.config;

import brig.protocol.BrigException;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

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
        Asks asks,
        Limits limits,
        Retention retention,
        Connections connections,
        Map<String, Host> hosts,
        JsonObject worker) {
    public Config {
        hosts.keySet().forEach(name -> refused(() -> HostSettings.requireName(name)));
        String host = asks.webhook().publicHost();
        if (host != null
                && !Webhook.LOOPBACK.contains(host)
                && !http.allowedHosts().contains(host)) {
            throw new IllegalArgumentException("the host of asks.webhook.publicUrl must be in http.allowedHosts");
        }
    }

    /** Turns a refusal of a message into one of the settings. */
    private static void refused(Runnable check) {
        try {
            check.run();
        } catch (BrigException e) {
            throw new IllegalArgumentException(e.getMessage());
        }
    }

    /** A host that workers may run on, see {@link HostSettings}. */
    public record Host(
            String ssh,
            @Default List<String> options,
            @Default List<String> labels,
            @Default @Range int workersMax,
            @Default("home") HostEgress egress,
            @Default @Range int idleExitMinutes,
            @Default String controlPath,
            @Default boolean tunnelOnly) {
        public Host {
            refused(() -> new HostSettings(
                    ssh, options, labels, workersMax, egress, idleExitMinutes, controlPath, tunnelOnly));
        }

        public HostSettings settings() {
            return new HostSettings(ssh, options, labels, workersMax, egress, idleExitMinutes, controlPath, tunnelOnly);
        }
    }

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

    /** Who is told what agents ask. */
    public record Asks(Webhook webhook) {
        /** Nobody is told. */
        public static final Asks NONE = new Asks(new Webhook("", "", ""));
    }

    /**
     * The server that is told of each ask; an empty URL disables it.
     *
     * @param secretFile the file with the secret that notices are signed with
     * @param publicUrl where people reach this gateway, for links that answer; empty for none
     */
    public record Webhook(String url, String secretFile, String publicUrl) {
        private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

        public Webhook {
            if (!url.isEmpty() && !isSafe(url)) {
                throw new IllegalArgumentException("url must be https://…, or http:// to loopback, without a user");
            }
            if (!url.isEmpty() && secretFile.isEmpty()) {
                throw new IllegalArgumentException("secretFile is missing: notices are signed");
            }
            if (!publicUrl.isEmpty() && (!isSafe(publicUrl) || publicUrl.matches(".*(/|\\?.*)"))) {
                throw new IllegalArgumentException(
                        "publicUrl must be such as https://brig.example.org, without a slash at" + " its end");
            }
        }

        /** The host in the links; null if there are none. */
        @Nullable
        String publicHost() {
            return publicUrl.isEmpty() ? null : URI.create(publicUrl).getHost();
        }

        private static boolean isSafe(String url) {
            try {
                URI uri = new URI(url);
                String host = uri.getHost();
                return host != null
                        && uri.getRawUserInfo() == null
                        && uri.getRawFragment() == null
                        && ("https".equals(uri.getScheme())
                                || ("http".equals(uri.getScheme()) && LOOPBACK.contains(host)));
            } catch (URISyntaxException e) {
                return false;
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
