package brig.gateway.config;

import brig.protocol.BrigException;
import brig.protocol.Role;
import brig.protocol.api.HostEgress;
import brig.protocol.api.HostSettings;
import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Map;
import java.util.Set;

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
        Oidc oidc,
        Limits limits,
        Retention retention,
        Connections connections,
        Map<String, Host> hosts,
        Map<String, SandboxProvider> providers,
        Cluster cluster,
        JsonObject worker) {
    private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "[::1]");

    public Config {
        hosts.keySet().forEach(name -> refused(() -> HostSettings.requireName(name)));
        cluster.hosts().keySet().stream().filter(hosts::containsKey).forEach(name -> {
            throw new IllegalArgumentException("hosts and cluster.hosts both have " + name);
        });
        providers.keySet().forEach(SandboxProvider::requireName);
        requireServed("asks.webhook.publicUrl", asks.webhook().publicUrl(), http);
        requireServed("oidc.publicUrl", oidc.publicUrl(), http);
    }

    private static void requireServed(String key, String publicUrl, Http http) {
        String host = publicUrl.isEmpty() ? null : URI.create(publicUrl).getHost();
        if (host != null && !LOOPBACK.contains(host) && !http.allowedHosts().contains(host)) {
            throw new IllegalArgumentException("the host of " + key + " must be in http.allowedHosts");
        }
    }

    /** Whether it is a URL of https, or of http to this host, without a user and a fragment. */
    public static boolean isSafe(String url) {
        try {
            URI uri = new URI(url);
            String host = uri.getHost();
            return host != null
                    && uri.getRawUserInfo() == null
                    && uri.getRawFragment() == null
                    && ("https".equals(uri.getScheme()) || ("http".equals(uri.getScheme()) && LOOPBACK.contains(host)));
        } catch (URISyntaxException e) {
            return false;
        }
    }

    private static void requirePublicUrl(String publicUrl) {
        if (!publicUrl.isEmpty() && (!isSafe(publicUrl) || publicUrl.matches(".*(/|\\?.*)"))) {
            throw new IllegalArgumentException(
                    "publicUrl must be such as https://brig.example.org, without a slash at its end");
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

    /** A service that makes a sandbox for each session; {@code config/brig.json} says what each key is. */
    public record SandboxProvider(
            Kind kind,
            String url,
            String keyFile,
            @Range(min = 1, max = LIFE_MINUTES_MAX) long lifeMaxMinutes,
            @Default @Range int sandboxesMax,
            @Default double dollarsPerHour,
            @Default("home") HostEgress egress,
            @Default String caFile,
            @Default List<String> networks,
            @Default String image,
            @Default("1") String cpu,
            @Default("2Gi") String memory,
            @Default List<String> endpointHosts) {
        static final long LIFE_MINUTES_MAX = 30L * 24 * 60;
        private static final double DOLLARS_MAX = 10_000;

        /** Which API it has. */
        public enum Kind {
            SPRITES,
            OPENSANDBOX
        }

        public SandboxProvider {
            if (url.isEmpty() || keyFile.isEmpty()) {
                throw new IllegalArgumentException("a provider needs kind, url, keyFile and lifeMaxMinutes");
            }
            if (!(dollarsPerHour >= 0 && dollarsPerHour <= DOLLARS_MAX)) {
                throw new IllegalArgumentException("dollarsPerHour must be from 0 to 10000");
            }
            if (kind == Kind.OPENSANDBOX && image.isEmpty()) {
                throw new IllegalArgumentException("image is missing: sandboxes of opensandbox are made of one");
            }
        }

        private static void requireName(String name) {
            if (!name.matches("[a-z0-9][a-z0-9-]{0,31}")
                    || Set.of("local", "tracked").contains(name)) {
                throw new IllegalArgumentException(
                        "a provider's name must match [a-z0-9][a-z0-9-]{0,31}, and not be local or tracked");
            }
        }
    }

    /** Several gateways as one; without servers there is one alone. */
    public record Cluster(
            List<String> servers,
            String name,
            String credentialsFile,
            String systemCredentialsFile,
            String caFile,
            String keyFile,
            @Range(min = 1, max = 5) int replicas,
            @Range(min = 1) int keepHours,
            boolean unsafeSync,
            Map<String, SharedHost> hosts) {
        /** This gateway is alone. */
        public static final Cluster NONE = new Cluster(List.of(), "", "", "", "", "", 1, 1, false, Map.of());

        public Cluster {
            hosts.keySet().forEach(host -> refused(() -> HostSettings.requireName(host)));
            if (replicas % 2 == 0) {
                throw new IllegalArgumentException("cluster.replicas must be 1, 3 or 5");
            }
            if (!servers.isEmpty()) {
                refused(() -> HostSettings.requireName(name));
                if (!servers.stream().allMatch(server -> server.matches("(nats|tls)://[^/@\\s]+:\\d{1,5}"))) {
                    throw new IllegalArgumentException(
                            "cluster.servers must be such as nats://10.0.0.1:4222 or tls://nats.example.org:4222, without a"
                                    + " user: that is in cluster.credentialsFile");
                }
                if (keyFile.isEmpty()) {
                    throw new IllegalArgumentException("cluster.keyFile is missing: all gateways share a key");
                }
            }
        }

        public boolean isOn() {
            return !servers.isEmpty();
        }

        /** The same, with servers that may lose what they acknowledged. */
        public Cluster unsafely() {
            return new Cluster(
                    servers,
                    name,
                    credentialsFile,
                    systemCredentialsFile,
                    caFile,
                    keyFile,
                    replicas,
                    keepHours,
                    true,
                    hosts);
        }
    }

    /** A worker-agent that gateways share. */
    public record SharedHost(
            String socket,
            @Default List<String> labels,
            @Default @Range int workersMax) {}

    /** The same, with another cluster. */
    public Config with(Cluster other) {
        return new Config(
                stateDir,
                runtimeDir,
                agentsDir,
                spawnerSocket,
                allowedUids,
                http,
                log,
                traces,
                asks,
                oidc,
                limits,
                retention,
                connections,
                hosts,
                providers,
                other,
                worker);
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
        public Webhook {
            if (!url.isEmpty() && !isSafe(url)) {
                throw new IllegalArgumentException("url must be https://…, or http:// to loopback, without a user");
            }
            if (!url.isEmpty() && secretFile.isEmpty()) {
                throw new IllegalArgumentException("secretFile is missing: notices are signed");
            }
            requirePublicUrl(publicUrl);
        }
    }

    /**
     * The issuer of OpenID Connect by which people sign in; an empty one disables that.
     *
     * @param publicUrl where people reach this gateway; empty for the address of HTTP
     * @param label what the page calls the issuer
     * @param nameClaim the claim with a person's name
     * @param roles the first that fits counts; a person whom none fits is refused
     * @param allowedDomains of verified addresses; empty for no such check
     */
    public record Oidc(
            String issuer,
            String clientId,
            String clientSecretFile,
            String publicUrl,
            String label,
            List<String> scopes,
            String nameClaim,
            List<RoleRule> roles,
            List<String> allowedDomains,

            @Range(min = SESSION_MS_MIN, max = SESSION_MS_MAX)
            long sessionMs) {
        static final long SESSION_MS_MIN = 60_000;
        /** Nobody signs in by an issuer. */
        public static final Oidc NONE =
                new Oidc("", "", "", "", "", List.of(), "email", List.of(), List.of(), SESSION_MS_MIN);

        static final long SESSION_MS_MAX = 30L * 24 * 3_600_000;
        private static final int TEXT_MAX = 512;

        public Oidc {
            if (!issuer.isEmpty()) {
                require(
                        isSafe(issuer) && !issuer.contains("?") && issuer.length() <= TEXT_MAX,
                        "issuer must be https://…, or http:// to loopback, without a query");
                require(!clientId.isEmpty() && clientId.length() <= TEXT_MAX, "clientId is missing, or too long");
                require(!roles.isEmpty(), "roles is empty: nobody could sign in");
            }
            requirePublicUrl(publicUrl);
            require(label.length() <= 40, "label may have 40 characters");
            require(
                    scopes.stream().allMatch(scope -> scope.matches("[\\x21\\x23-\\x5B\\x5D-\\x7E]{1,128}")),
                    "scopes has one that is no scope");
            require(!nameClaim.isEmpty(), "nameClaim is missing");
            require(
                    allowedDomains.stream().allMatch(domain -> domain.matches("[a-z0-9.-]+")),
                    "allowedDomains must be such as example.org, in lower case");
        }

        private static void require(boolean holds, String otherwise) {
            if (!holds) {
                throw new IllegalArgumentException(otherwise);
            }
        }
    }

    /** Who has that value in that claim, has that role. */
    public record RoleRule(@NotEmpty String claim, @NotEmpty String value, Role role) {}

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
