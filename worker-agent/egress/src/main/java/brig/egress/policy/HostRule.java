package brig.egress.policy;

import brig.protocol.json.JsonObject;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code allowedHosts}: a pattern as text, or an object with {@code host}, optionally limited by
 * {@code methods} and {@code paths}.
 *
 * @param methods in capitals; empty for all
 * @param paths path prefixes of whole segments; empty for all
 */
record HostRule(HostPattern pattern, Set<String> methods, List<String> paths) {
    private static final Set<Integer> USUAL_PORTS = Set.of(80, 443);
    private static final Pattern METHOD = Pattern.compile("[A-Z]{1,20}");
    /** Characters and sequences that a server may interpret as a different path. */
    private static final Pattern AMBIGUOUS =
            Pattern.compile("(?i).*(?:%2e|%2f|%5c|%00|%25|\\\\|//|/\\.{1,2}(?:/|;|$)|;).*");

    static HostRule parse(Object entry) {
        if (entry instanceof String text) {
            return new HostRule(HostPattern.parse(text), Set.of(), List.of());
        }
        if (!(entry instanceof JsonObject object) || !(object.value("host") instanceof String host)) {
            throw new IllegalArgumentException("must be a host, or an object with the key 'host'");
        }
        for (String key : object.names()) {
            if (!Set.of("host", "methods", "paths").contains(key)) {
                throw new IllegalArgumentException("unknown key '" + key + "'; known are [host, methods, paths]");
            }
        }
        Set<String> methods = new TreeSet<>(texts("methods", object.value("methods")));
        List<String> paths = texts("paths", object.value("paths"));
        for (String method : methods) {
            if (!METHOD.matcher(method).matches()) {
                throw new IllegalArgumentException("methods: '" + method + "' is not a method in capitals");
            }
        }
        for (String path : paths) {
            if (!path.startsWith("/") || AMBIGUOUS.matcher(path).matches() || path.indexOf('?') >= 0) {
                throw new IllegalArgumentException("paths: '" + path + "' is not a plain path that begins with /");
            }
        }
        return new HostRule(HostPattern.parse(host), methods, paths);
    }

    /** An absent list limits nothing. An empty one would allow nothing and is refused as a mistake. */
    private static List<String> texts(String key, @Nullable Object value) {
        if (value == null) {
            return List.of();
        }
        if (!(value instanceof List<?> list) || list.isEmpty() || !list.stream().allMatch(String.class::isInstance)) {
            throw new IllegalArgumentException(key + ": must be a non-empty list of strings");
        }
        return list.stream().map(String.class::cast).toList();
    }

    /** Whether it matches; without a port it matches the ports of HTTP and HTTPS. */
    boolean matches(String host, int port) {
        return matchesPort(port) && pattern.matchesHost(host);
    }

    boolean matchesPort(int port) {
        return pattern.port() == 0 ? USUAL_PORTS.contains(port) : pattern.port() == port;
    }

    boolean isBounded() {
        return !methods.isEmpty() || !paths.isEmpty();
    }

    boolean permits(String method, String path) {
        return (methods.isEmpty() || methods.contains(method.toUpperCase(Locale.ROOT)))
                && (paths.isEmpty() || permitsPath(path));
    }

    private boolean permitsPath(String path) {
        return !AMBIGUOUS.matcher(path).matches() && paths.stream().anyMatch(prefix -> isBelow(path, prefix));
    }

    private static boolean isBelow(String path, String prefix) {
        boolean folder = prefix.endsWith("/") || path.length() == prefix.length();
        return path.startsWith(prefix) && (folder || path.charAt(prefix.length()) == '/');
    }
}
