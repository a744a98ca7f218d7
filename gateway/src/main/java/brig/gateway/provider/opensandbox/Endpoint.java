package brig.gateway.provider.opensandbox;

import brig.gateway.provider.ProviderFailure;
import brig.gateway.provider.http.Location;
import brig.gateway.provider.opensandbox.OpenSandboxMessages.EndpointAnswer;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * Where a port of a sandbox is reached. The server says so, but nothing of it is believed: it may name itself and the
 * hosts of the settings, over TLS, with headers that change nothing about the connection.
 *
 * @param headers of each request there; they may be secrets
 */
record Endpoint(Location at, Map<String, String> headers) {
    private static final int HEADERS_MAX = 16;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9-]{1,64}");
    private static final Pattern VALUE = Pattern.compile("[\\x21-\\x7e](?:[\\x20-\\x7e]{0,1022}[\\x21-\\x7e])?");
    private static final String OF_WEBSOCKETS = "sec-websocket-";
    private static final String BELOW = "*.";
    private static final Set<String> OURS = Set.of(
            "connection",
            "content-length",
            "content-type",
            "expect",
            "host",
            "keep-alive",
            "proxy-authorization",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    Endpoint {
        headers = Map.copyOf(headers);
    }

    /** @throws ProviderFailure if it is none to be trusted */
    static Endpoint of(EndpointAnswer answer, Location server, List<String> hosts) {
        Location at;
        try {
            at = Location.ofEndpoint(answer.endpoint() == null ? "" : answer.endpoint());
        } catch (IllegalArgumentException e) {
            throw untrusted("names an endpoint that is none: it " + e.getMessage());
        }
        boolean isServer = at.host().equals(server.host()) && at.port() == server.port();
        if (!isServer && hosts.stream().noneMatch(host -> isNamed(at, host))) {
            throw untrusted(
                    "names the endpoint " + at.host() + ":" + at.port() + ", which endpointHosts does not name");
        }
        Map<String, String> headers = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        answer.headers().forEach((name, value) -> {
            String lower = name.toLowerCase(Locale.ROOT);
            boolean allowed = NAME.matcher(name).matches()
                    && VALUE.matcher(value).matches()
                    && !OURS.contains(lower)
                    && !lower.startsWith(OF_WEBSOCKETS);
            if (!allowed || headers.size() == HEADERS_MAX) {
                throw untrusted("names an endpoint with headers that are not allowed");
            }
            headers.put(name, value);
        });
        return new Endpoint(at, headers);
    }

    private static boolean isNamed(Location at, String host) {
        boolean below = host.startsWith(BELOW);
        Location named;
        try {
            named = Location.ofEndpoint(below ? host.substring(BELOW.length()) : host);
        } catch (IllegalArgumentException e) {
            return false;
        }
        boolean same =
                below ? at.host().endsWith("." + named.host()) : at.host().equals(named.host());
        return same && at.port() == named.port();
    }

    private static ProviderFailure untrusted(String why) {
        return new ProviderFailure(ProviderFailure.Kind.UNTRUSTED, "it " + why);
    }

    @Override
    public String toString() {
        return at.toString();
    }
}
