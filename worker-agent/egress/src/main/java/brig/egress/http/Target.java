package brig.egress.http;

import brig.egress.policy.HostPort;
import brig.protocol.address.HostNames;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The target of a connection.
 *
 * @param host as {@link HostNames#normalize} gives it
 */
public record Target(boolean tls, String host, int port) {
    /** Reads {@code host} or {@code host:port}; null if it is neither. */
    public static @Nullable Target parse(String authority, boolean tls, int usualPort) {
        HostPort at = HostPort.parse(authority, usualPort);
        return at == null ? null : new Target(tls, at.host(), at.port());
    }

    public HostPort hostPort() {
        return new HostPort(host, port);
    }

    /** The form of a Host header. */
    public String authority() {
        return hostPort().authority(tls ? 443 : 80);
    }

    public String scheme() {
        return tls ? "https" : "http";
    }

    public boolean isSameHost(String hostHeader) {
        Target named = parse(hostHeader.strip().toLowerCase(Locale.ROOT), tls, tls ? 443 : 80);
        return named != null && named.host.equals(host) && named.port == port;
    }
}
