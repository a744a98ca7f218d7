package brig.workeragent.wall;

import brig.egress.link.WallSocket;
import brig.egress.policy.EgressPolicy;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * What tells programs behind a wall with egress of the proxy, of the certificates to trust, of model APIs and of secrets.
 * Nothing but the last is needed by programs that resolve names and read the system's list of certificates, for the
 * wall takes every connection; these are for those that do not.
 */
public final class EgressVariables {
    private static final String PROXY = "http://127.0.0.1:" + WallSocket.PROXY_PORT;
    private static final String MODEL = "http://127.0.0.1:" + WallSocket.MODEL_PORT + "/";
    private static final String INSIDE = "localhost,127.0.0.1,::1";
    private static final String BUNDLE = "/etc/ssl/certs/ca-certificates.crt";
    /** For programs that add to a list of their own. */
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

    private EgressVariables() {}

    /** Where a program behind the wall reaches a model route. */
    public static String modelUrl(String route) {
        return MODEL + route;
    }

    /** Names of all that a worker with that policy has for it; none where it reaches nothing. */
    public static Set<String> names(EgressPolicy policy) {
        return policy.isOpen() ? of(policy, Map.of()).keySet() : Set.of();
    }

    /** @param placeholders by the secret's name; a secret without one has an empty variable */
    public static Map<String, String> of(EgressPolicy policy, Map<String, String> placeholders) {
        Map<String, String> variables = new TreeMap<>(ALWAYS);
        policy.modelRoutes().forEach((name, route) -> {
            String url = modelUrl(name);
            variables.put("BRIG_MODEL_URL_" + name.toUpperCase(Locale.ROOT).replace('-', '_'), url);
            // As the clients of these two read it.
            if (name.equals("anthropic")) {
                variables.put("ANTHROPIC_BASE_URL", url);
            } else if (name.equals("openai")) {
                variables.put("OPENAI_BASE_URL", route.baseUrl().endsWith("/v1") ? url : url + "/v1");
            }
        });
        policy.secrets().keySet().forEach(name -> variables.put(name, placeholders.getOrDefault(name, "")));
        return variables;
    }
}
