package brig.egress.proxy;

import brig.egress.policy.HostNames;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Where a connection goes.
 *
 * @param host as {@link HostNames#normalize} gives it
 */
record Target(boolean tls, String host, int port) {
    private static final int PORT_MAX = 65_535;

    /** Reads {@code host} or {@code host:port}; null where it is neither. */
    static @Nullable Target parse(String authority, boolean tls, int usualPort) {
        int bracket = authority.lastIndexOf(']');
        int colon = authority.lastIndexOf(':');
        String name = authority;
        int port = usualPort;
        if (colon > bracket) {
            if (authority.indexOf(':') != colon && bracket < 0) {
                return null;
            }
            name = authority.substring(0, colon);
            String digits = authority.substring(colon + 1);
            port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : 0;
        }
        String host = HostNames.normalize(name);
        return host == null || port < 1 || port > PORT_MAX ? null : new Target(tls, host, port);
    }

    /** As a Host header has it. */
    String authority() {
        return port == (tls ? 443 : 80) ? HostNames.bracketed(host) : HostNames.bracketed(host) + ":" + port;
    }

    String scheme() {
        return tls ? "https" : "http";
    }

    boolean isSameHost(String hostHeader) {
        Target named = parse(hostHeader.strip().toLowerCase(Locale.ROOT), tls, tls ? 443 : 80);
        return named != null && named.host.equals(host) && named.port == port;
    }
}
