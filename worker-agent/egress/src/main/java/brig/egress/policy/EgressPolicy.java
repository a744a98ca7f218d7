package brig.egress.policy;

import brig.protocol.json.JsonObject;
import brig.protocol.record.Default;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * The object {@code egress} of a policy. Its components are the keys, which {@code policy.schema.json} documents.
 * Absent or empty keys allow nothing.
 *
 * @param allowedHosts strings and {@link JsonObject}s, see {@link HostRule}
 * @param deniedHosts take precedence over everything; without a port they mean every port
 * @param tunnelHosts allowed hosts whose TLS is passed through unread
 * @param secrets secrets by the variable with their placeholder inside the wall
 * @param dnsMode {@code synthetic}, {@code trusted} or {@code open}
 * @param auditNetwork whether allowed requests are in the audit too
 * @param modelRoutes model routes by the first segment of the path inside the wall
 * @param askMs how long a request to an unlisted host waits for a person; 0 does not ask
 * @param quietHosts hosts that agents request by habit: a refusal is reported once for each
 */
@Settings
public record EgressPolicy(
        @Default List<Object> allowedHosts,
        @Default List<String> deniedHosts,
        @Default List<String> tunnelHosts,
        @Default Map<String, Secret> secrets,
        @Default("synthetic") String dnsMode,
        @Default("true") boolean auditNetwork,
        @Default Map<String, ModelRoute> modelRoutes,
        @Default @Range(max = ASK_MS_MAX) int askMs,
        @Default List<String> quietHosts) {

    /** Allows nothing. */
    public static final EgressPolicy NONE = read(JsonObject.EMPTY);

    static final int ASK_MS_MAX = 3_600_000;
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,127}");
    private static final Pattern SEGMENT = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
    private static final Pattern HEADER = Pattern.compile("[a-z0-9-]{1,64}");

    /**
     * A secret: its source, and the hosts that it may go to.
     *
     * @param envVar a variable of the host, if {@code file} and {@code command} are empty; if empty, the variable has
     *     the secret's name
     * @param command a program of the host and its arguments; its first line of output is the value
     * @param inQuery whether it may be put into query strings
     * @param allowPlaintext whether it may be sent without TLS
     */
    public record Secret(
            @Default List<String> hosts,
            @Default String envVar,
            @Default String file,
            @Default List<String> command,
            @Default boolean inQuery,
            @Default boolean allowPlaintext) {
        public Secret {
            checkEach("hosts", hosts, HostPattern::parse);
            int sources = (envVar.isEmpty() ? 0 : 1) + (file.isEmpty() ? 0 : 1) + (command.isEmpty() ? 0 : 1);
            if (sources > 1) {
                throw new IllegalArgumentException("envVar: only one of envVar, file and command may be set");
            }
            if (!envVar.isEmpty() && !VARIABLE.matcher(envVar).matches()) {
                throw new IllegalArgumentException("envVar: '" + envVar + "' is not a variable name");
            }
            if (!file.isEmpty() && !file.startsWith("/")) {
                throw new IllegalArgumentException("file: must be an absolute path");
            }
            if (!command.isEmpty() && !command.getFirst().startsWith("/")) {
                throw new IllegalArgumentException("command: the program must be an absolute path");
            }
        }

        private Secret withoutSource() {
            return new Secret(hosts, "", "", List.of(), inQuery, allowPlaintext);
        }

        /** This secret, limited to these hosts. */
        Secret onlyTo(List<String> others) {
            return new Secret(others, envVar, file, command, inQuery, allowPlaintext);
        }
    }

    /**
     * A model API, reached without TLS interception.
     *
     * @param baseUrl the URL behind {@code http://127.0.0.1:PORT/NAME} inside the wall
     * @param secret the name of this policy's secret that the proxy adds; empty for none
     * @param header the header that carries it; {@code authorization} gets the prefix {@code Bearer}
     */
    public record ModelRoute(
            String baseUrl,
            @Default String secret,
            @Default("authorization") String header) {
        public ModelRoute {
            URI url = url(baseUrl);
            boolean web = "https".equals(url.getScheme()) || "http".equals(url.getScheme());
            if (!web
                    || url.getHost() == null
                    || HostNames.normalize(url.getHost()) == null
                    || url.getRawUserInfo() != null
                    || url.getRawQuery() != null
                    || url.getRawFragment() != null) {
                throw new IllegalArgumentException("baseUrl: must be an http or https URL of host and path");
            }
            if (!HEADER.matcher(header).matches()) {
                throw new IllegalArgumentException("header: '" + header + "' is not a header name in lower case");
            }
        }

        private static URI url(String text) {
            try {
                return new URI(text);
            } catch (URISyntaxException e) {
                throw new IllegalArgumentException("baseUrl: is not a URL");
            }
        }

        /** The parsed base URL. */
        public URI url() {
            return URI.create(baseUrl);
        }

        /** Its port, or the default port of its scheme. */
        public int port() {
            int port = url().getPort();
            return port > 0 ? port : isTls() ? 443 : 80;
        }

        public boolean isTls() {
            return "https".equals(url().getScheme());
        }

        /** Its host, as {@link HostNames#normalize} gives it. */
        public String host() {
            String host = HostNames.normalize(url().getHost());
            return host == null ? "" : host;
        }
    }

    public EgressPolicy {
        for (int i = 0; i < allowedHosts.size(); i++) {
            try {
                HostRule.parse(allowedHosts.get(i));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException("allowedHosts[" + i + "]: " + e.getMessage());
            }
        }
        checkEach("deniedHosts", deniedHosts, HostPattern::parse);
        checkEach("tunnelHosts", tunnelHosts, HostPattern::parse);
        checkEach("quietHosts", quietHosts, HostPattern::parse);
        for (String name : secrets.keySet()) {
            if (!VARIABLE.matcher(name).matches()) {
                throw new IllegalArgumentException("secrets: '" + name + "' is not a variable name");
            }
        }
        if (DnsMode.of(dnsMode) == null) {
            throw new IllegalArgumentException("dnsMode: must be synthetic, trusted or open");
        }
        modelRoutes.forEach((name, route) -> {
            if (!SEGMENT.matcher(name).matches()) {
                throw new IllegalArgumentException("modelRoutes: '" + name + "' is not a plain path segment");
            }
            if (!route.secret().isEmpty() && !secrets.containsKey(route.secret())) {
                throw new IllegalArgumentException(
                        "modelRoutes." + name + ".secret: unknown secret '" + route.secret() + "'");
            }
        });
    }

    private static void checkEach(String key, List<String> texts, Consumer<String> check) {
        for (int i = 0; i < texts.size(); i++) {
            try {
                check.accept(texts.get(i));
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(key + "[" + i + "]: " + e.getMessage());
            }
        }
    }

    /** Binds a JSON object. @throws brig.protocol.BrigException {@code INVALID_FIELD}, naming the key */
    public static EgressPolicy read(JsonObject values) {
        return values.as(EgressPolicy.class);
    }

    /** This policy with more routes and their secrets. */
    public EgressPolicy with(Map<String, ModelRoute> moreRoutes, Map<String, Secret> moreSecrets) {
        Map<String, ModelRoute> routes = new LinkedHashMap<>(modelRoutes);
        routes.putAll(moreRoutes);
        Map<String, Secret> all = new LinkedHashMap<>(secrets);
        all.putAll(moreSecrets);
        return new EgressPolicy(
                allowedHosts, deniedHosts, tunnelHosts, all, dnsMode, auditNetwork, routes, askMs, quietHosts);
    }

    /** This policy without where its secrets come from. */
    public EgressPolicy withoutSources() {
        Map<String, Secret> bare = new LinkedHashMap<>();
        secrets.forEach((name, secret) -> bare.put(name, secret.withoutSource()));
        return with(allowedHosts, bare, dns(), auditNetwork);
    }

    /** This policy with other hosts, secrets, DNS mode and audit. */
    EgressPolicy with(List<Object> hosts, Map<String, Secret> others, DnsMode mode, boolean audit) {
        return new EgressPolicy(
                hosts,
                deniedHosts,
                tunnelHosts,
                others,
                mode.name().toLowerCase(Locale.ROOT),
                audit,
                modelRoutes,
                askMs,
                quietHosts);
    }

    /** Whether a worker can reach anything, now or after a person allows it. */
    public boolean isOpen() {
        return !allowedHosts.isEmpty() || !modelRoutes.isEmpty() || askMs > 0;
    }

    public DnsMode dns() {
        DnsMode mode = DnsMode.of(dnsMode);
        return mode == null ? DnsMode.SYNTHETIC : mode;
    }

    List<HostRule> rules() {
        List<HostRule> rules = new ArrayList<>();
        allowedHosts.forEach(entry -> rules.add(HostRule.parse(entry)));
        return rules;
    }

    /** Ports for which the wall needs a listener: HTTP, HTTPS, SSH, and all named ones. */
    public Set<Integer> ports() {
        Set<Integer> ports = new TreeSet<>(Set.of(22, 80, 443));
        rules().stream()
                .map(rule -> rule.pattern().port())
                .filter(port -> port > 0)
                .forEach(ports::add);
        tunnelHosts.stream()
                .map(text -> HostPattern.parse(text).port())
                .filter(port -> port > 0)
                .forEach(ports::add);
        return ports;
    }
}
