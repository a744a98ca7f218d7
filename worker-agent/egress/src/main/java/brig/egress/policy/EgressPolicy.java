package brig.egress.policy;

import brig.protocol.address.HostNames;
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
    private static final Pattern CREDENTIAL = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}");
    private static final Pattern PLACE = Pattern.compile("[a-z0-9-]{1,64}");
    private static final Pattern SEGMENT = Pattern.compile("[a-z0-9][a-z0-9_-]{0,63}");
    private static final Pattern HEADER = Pattern.compile("[a-z0-9-]{1,64}");
    private static final Pattern HEADER_VALUE = Pattern.compile("[ -~]{1,1024}");
    private static final Set<String> HEADERS_OF_HTTP = Set.of(
            "host",
            "connection",
            "content-length",
            "content-encoding",
            "transfer-encoding",
            "te",
            "trailer",
            "upgrade",
            "expect");

    /**
     * A secret: its source, and the hosts that it may go to.
     *
     * @param envVar a variable of the host, if {@code file} and {@code command} are empty; if empty, the variable has
     *     the secret's name
     * @param command a program of the host and its arguments; its first line of output is the value
     * @param login a file that {@code brig login} made; the value is its current token
     * @param credential a credential that systemd gives to the worker-agent, by its name
     * @param inQuery whether it may be put into query strings
     * @param allowPlaintext whether it may be sent without TLS
     */
    public record Secret(
            @Default List<String> hosts,
            @Default String envVar,
            @Default String file,
            @Default List<String> command,
            @Default String login,
            @Default String credential,
            @Default boolean inQuery,
            @Default boolean allowPlaintext) {
        public Secret {
            checkEach("hosts", hosts, HostPattern::parse);
            int sources = (envVar.isEmpty() ? 0 : 1)
                    + (file.isEmpty() ? 0 : 1)
                    + (command.isEmpty() ? 0 : 1)
                    + (login.isEmpty() ? 0 : 1)
                    + (credential.isEmpty() ? 0 : 1);
            if (sources > 1) {
                throw new IllegalArgumentException(
                        "envVar: only one of envVar, file, command, login and credential may be set");
            }
            if (!credential.isEmpty() && !CREDENTIAL.matcher(credential).matches()) {
                throw new IllegalArgumentException("credential: must be a plain name");
            }
            if (!login.isEmpty() && !login.startsWith("/")) {
                throw new IllegalArgumentException("login: must be an absolute path");
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
            return new Secret(hosts, "", "", List.of(), "", "", inQuery, allowPlaintext);
        }

        /** This secret, limited to these hosts. */
        Secret onlyTo(List<String> others) {
            return new Secret(others, envVar, file, command, login, credential, inQuery, allowPlaintext);
        }
    }

    /**
     * A model API, reached without TLS interception.
     *
     * @param baseUrl the URL behind {@code http://127.0.0.1:PORT/NAME} inside the wall
     * @param secret the name of this policy's secret that the proxy adds; empty for none
     * @param header the header that carries it; {@code authorization} gets the prefix {@code Bearer}
     * @param headers further headers, by their names in lower case, in place of the agent's
     * @param api the cloud whose API the server speaks; empty for that of the agent's vendor. Requests to {@code BEDROCK}
     *     are signed with the secret, in place of the header
     * @param region of the cloud
     * @param project of the person at the cloud
     */
    public record ModelRoute(
            String baseUrl,
            @Default String secret,
            @Default("authorization") String header,
            @Default Map<String, String> headers,
            @Default String api,
            @Default String region,
            @Default String project) {
        public static final String BEDROCK = "bedrock";
        public static final String VERTEX = "vertex";

        /** Of an API of a vendor of models. */
        public ModelRoute(String baseUrl, String secret, String header, Map<String, String> headers) {
            this(baseUrl, secret, header, headers, "", "", "");
        }

        public ModelRoute {
            if (!api.isEmpty() && !api.equals(BEDROCK) && !api.equals(VERTEX)) {
                throw new IllegalArgumentException("api: must be bedrock or vertex");
            }
            if (!region.isEmpty() && !PLACE.matcher(region).matches()) {
                throw new IllegalArgumentException("region: must be small letters, digits and -");
            }
            if (!project.isEmpty() && !PLACE.matcher(project).matches()) {
                throw new IllegalArgumentException("project: must be small letters, digits and -");
            }
            if (api.equals(BEDROCK) && (region.isEmpty() || secret.isEmpty())) {
                throw new IllegalArgumentException("api: bedrock needs a region and a secret");
            }
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
            headers.forEach((name, value) -> {
                if (!HEADER.matcher(name).matches() || HEADERS_OF_HTTP.contains(name)) {
                    throw new IllegalArgumentException("headers: '" + name + "' cannot be set");
                }
                if (!HEADER_VALUE.matcher(value).matches()) {
                    throw new IllegalArgumentException("headers." + name + ": must be printable ASCII");
                }
            });
        }

        private static URI url(String text) {
            try {
                return new URI(text);
            } catch (URISyntaxException e) {
                throw new IllegalArgumentException("baseUrl: is not a URL");
            }
        }

        /** Whether requests are signed with the secret, which is nowhere in them. */
        public boolean isSigned() {
            return api.equals(BEDROCK);
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
