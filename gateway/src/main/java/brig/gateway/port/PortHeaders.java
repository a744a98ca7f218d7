package brig.gateway.port;

import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpHeaders;
import io.vertx.core.MultiMap;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Filters headers between a client and an agent's server. The server is untrusted: it must not learn the client's
 * credentials, and its answers must not act under Brig's origin. So it receives only cookies of its own, which are
 * renamed here, and its pages are sandboxed.
 */
final class PortHeaders {
    /** Gives a page an opaque origin, which reaches neither Brig nor the pages of other sessions. */
    static final String SANDBOX = "sandbox allow-scripts allow-forms allow-popups allow-modals allow-downloads";

    /** Hop-by-hop headers (RFC 9110, 7.6.1); those named by {@code Connection} are added. */
    private static final Set<String> HOP_BY_HOP = Set.of(
            "connection",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade",
            "proxy-authenticate",
            "proxy-authorization",
            "http2-settings");

    private static final Set<String> NOT_TO_SERVER = Set.of(
            "host",
            "authorization",
            "cookie",
            "cookie2",
            "origin",
            "referer",
            "forwarded",
            "via",
            "x-real-ip",
            "expect",
            "content-length");
    /** Prefix of Brig's own headers, among them half of a page's token. */
    private static final String OWN = "brig-";

    private static final Set<String> NOT_TO_CLIENT = Set.of(
            "set-cookie",
            "set-cookie2",
            "clear-site-data",
            "alt-svc",
            "strict-transport-security",
            "public-key-pins",
            "service-worker-allowed",
            "www-authenticate",
            "authentication-info",
            "content-length",
            "location",
            "content-location",
            "report-to",
            "reporting-endpoints",
            "nel",
            "sourcemap",
            "x-content-type-options");
    private static final Pattern TOKEN = Pattern.compile("[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}");
    private static final Pattern COOKIE_VALUE = Pattern.compile("[\\x21\\x23-\\x2b\\x2d-\\x3a\\x3c-\\x7e ,\"]{0,4096}");
    private static final Pattern ATTRIBUTE = Pattern.compile(
            "(?i)(max-age=-?[0-9]{1,12}|expires=[A-Za-z0-9 ,:-]{1,64}|httponly|secure|samesite=(lax|strict|none))");

    private PortHeaders() {}

    /** Whether a client wants a WebSocket; other upgrades are not supported. */
    static boolean wantsWebSocket(MultiMap headers) {
        return "websocket".equalsIgnoreCase(headers.get("Upgrade"))
                && headers.getAll("Connection").stream()
                        .anyMatch(value -> value.toLowerCase(Locale.ROOT).contains("upgrade"));
    }

    /** The headers for the server. */
    static HttpHeaders toServer(MultiMap from, PortPath path) {
        HttpHeaders to = new DefaultHttpHeaders();
        to.set("Host", path.host());
        Set<String> dropped = dropped(from.getAll("Connection"), NOT_TO_SERVER);
        for (Map.Entry<String, String> header : from) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!dropped.contains(name) && !name.startsWith("x-forwarded-") && !name.startsWith(OWN)) {
                to.add(header.getKey(), header.getValue());
            }
        }
        String cookies = cookiesToServer(from.getAll("Cookie"), path);
        if (!cookies.isEmpty()) {
            to.set("Cookie", cookies);
        }
        if (from.contains("Origin")) {
            to.set("Origin", "http://" + path.host());
        }
        to.set("X-Forwarded-Prefix", path.base());
        return to;
    }

    /** The headers for the client. */
    static void toClient(HttpHeaders from, MultiMap to, PortPath path) {
        Set<String> dropped = dropped(from.getAll("Connection"), NOT_TO_CLIENT);
        for (Map.Entry<String, String> header : from) {
            String name = header.getKey().toLowerCase(Locale.ROOT);
            if (!dropped.contains(name) && !name.startsWith("access-control-")) {
                to.add(header.getKey(), header.getValue());
            }
        }
        from.getAll("Set-Cookie").stream()
                .map(cookie -> cookieToClient(cookie, path))
                .forEach(cookie -> addIfThere(to, "Set-Cookie", cookie));
        addIfThere(to, "Location", location(from.get("Location"), path));
        to.add("Content-Security-Policy", SANDBOX);
        to.set("X-Content-Type-Options", "nosniff");
    }

    private static void addIfThere(MultiMap to, String name, @Nullable String value) {
        if (value != null) {
            to.add(name, value);
        }
    }

    private static Set<String> dropped(List<String> connection, Set<String> others) {
        Set<String> dropped = new HashSet<>(HOP_BY_HOP);
        dropped.addAll(others);
        connection.forEach(value -> Arrays.stream(value.split(",", -1))
                .forEach(name -> dropped.add(name.trim().toLowerCase(Locale.ROOT))));
        return dropped;
    }

    private static String prefix(PortPath path) {
        return "brig-port-" + path.port() + "-";
    }

    /** The cookies that the server of that port set, under their original names. */
    private static String cookiesToServer(List<String> headers, PortPath path) {
        return headers.stream()
                .flatMap(header -> Arrays.stream(header.split(";", -1)))
                .map(String::trim)
                .filter(cookie -> cookie.startsWith(prefix(path)))
                .map(cookie -> cookie.substring(prefix(path).length()))
                .collect(Collectors.joining("; "));
    }

    /** Renames a cookie to be unique to this port and restricts it to paths below its base; null if it is malformed. */
    private static @Nullable String cookieToClient(String header, PortPath path) {
        String[] parts = header.split(";", -1);
        int equals = parts[0].indexOf('=');
        String name = equals < 0 ? "" : parts[0].substring(0, equals).trim();
        String value = parts[0].substring(equals + 1).trim();
        if (!TOKEN.matcher(name).matches() || !COOKIE_VALUE.matcher(value).matches()) {
            return null;
        }
        List<String> cookie = new ArrayList<>(List.of(prefix(path) + name + "=" + value));
        String below = "/";
        for (String part : Arrays.asList(parts).subList(1, parts.length)) {
            String attribute = part.trim();
            if (attribute.regionMatches(true, 0, "path=/", 0, 6)) {
                below = attribute.substring(5);
            } else if (ATTRIBUTE.matcher(attribute).matches()) {
                cookie.add(attribute);
            }
        }
        cookie.add("Path=" + path.base() + below);
        return String.join("; ", cookie);
    }

    /** Keeps a redirect within the server below its base. */
    private static @Nullable String location(@Nullable String location, PortPath path) {
        if (location == null) {
            return null;
        }
        for (String own : List.of("http://" + path.host(), "http://localhost:" + path.port())) {
            if (location.equals(own) || location.startsWith(own + "/")) {
                return path.base() + (location.equals(own) ? "/" : location.substring(own.length()));
            }
        }
        return location.startsWith("/") && !location.startsWith("//") ? path.base() + location : location;
    }
}
