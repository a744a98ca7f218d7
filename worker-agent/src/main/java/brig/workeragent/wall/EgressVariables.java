package brig.workeragent.wall;

import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Environment variables for programs behind a wall with egress: the proxy, trusted certificates, model APIs and
 * secrets. The wall takes every connection, so only programs that do not resolve names or do not read the system's
 * certificates need them, except for secrets.
 */
public final class EgressVariables {
    private static final String PROXY = "http://127.0.0.1:" + WallSocket.PROXY_PORT;
    private static final String MODEL = "http://127.0.0.1:" + WallSocket.MODEL_PORT + "/";
    private static final String INSIDE = "localhost,127.0.0.1,::1";
    private static final String BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
    /** For programs that extend a list of their own. */
    private static final String AUTHORITY = "/etc/ssl/certs/brig-authority.pem";

    private static final Map<String, String> ALWAYS = Map.ofEntries(
            Map.entry("http_proxy", PROXY),
            Map.entry("https_proxy", PROXY),
            Map.entry("HTTP_PROXY", PROXY),
            Map.entry("HTTPS_PROXY", PROXY),
            Map.entry("no_proxy", INSIDE),
            Map.entry("NO_PROXY", INSIDE),
            Map.entry("NODE_USE_ENV_PROXY", "1"),
            Map.entry("SSL_CERT_FILE", BUNDLE),
            Map.entry("CURL_CA_BUNDLE", BUNDLE),
            Map.entry("GIT_SSL_CAINFO", BUNDLE),
            Map.entry("REQUESTS_CA_BUNDLE", BUNDLE),
            Map.entry("PIP_CERT", BUNDLE),
            Map.entry("AWS_CA_BUNDLE", BUNDLE),
            Map.entry("CARGO_HTTP_CAINFO", BUNDLE),
            Map.entry("NODE_EXTRA_CA_CERTS", AUTHORITY),
            Map.entry("DENO_CERT", AUTHORITY));

    /** Ports of 127.0.0.1 that they name, or that a wall with egress needs itself. */
    public static final Set<Integer> PORTS = Set.of(WallSocket.PROXY_PORT, WallSocket.MODEL_PORT, WallSocket.DNS_PORT);

    private EgressVariables() {}

    /** The URL of a model route behind the wall. */
    public static String modelUrl(String route) {
        return MODEL + route;
    }

    /** What follows a route in the URL of OpenAI's clients. */
    public static String versionIn(EgressPolicy.ModelRoute route) {
        return route.baseUrl().endsWith("/v1") ? "" : "/v1";
    }

    /** Names of the variables for that policy; none without egress. */
    public static Set<String> names(EgressPolicy policy) {
        return policy.isOpen() ? of(policy, Map.of()).keySet() : Set.of();
    }

    /** @param placeholders by the secret's name; a secret without one has an empty variable */
    public static Map<String, String> of(EgressPolicy policy, Map<String, String> placeholders) {
        Map<String, String> variables = new TreeMap<>(ALWAYS);
        policy.modelRoutes().forEach((name, route) -> {
            String url = modelUrl(name);
            variables.put("BRIG_MODEL_URL_" + name.toUpperCase(Locale.ROOT).replace('-', '_'), url);
            // The names that these two providers' clients read.
            if (name.equals("anthropic")) {
                variables.put("ANTHROPIC_BASE_URL", url);
            } else if (name.equals("openai")) {
                variables.put("OPENAI_BASE_URL", url + versionIn(route));
            }
        });
        policy.secrets().keySet().forEach(name -> variables.put(name, placeholders.getOrDefault(name, "")));
        return variables;
    }
}
