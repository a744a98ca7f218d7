package brig.egress.policy;

import brig.protocol.address.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * A port of a host.
 *
 * @param host as {@link HostNames#normalize} gives it
 * @param port 1 to 65535; 0 if unknown
 */
public record HostPort(String host, int port) {
    private static final int PORT_MAX = 65_535;

    /**
     * Reads {@code host:port}, or {@code host} for the usual port. An IPv6 address with a port needs brackets.
     *
     * @param usualPort 0 for none: then the text must have one
     * @return null if it is neither
     */
    public static @Nullable HostPort parse(String text, int usualPort) {
        int bracket = text.lastIndexOf(']');
        int colon = text.lastIndexOf(':');
        String name = text;
        int port = usualPort;
        if (colon > bracket) {
            if (text.indexOf(':') != colon && bracket < 0) {
                return null;
            }
            name = text.substring(0, colon);
            port = port(text.substring(colon + 1));
        }
        String host = HostNames.normalize(name);
        return host == null || port == 0 ? null : new HostPort(host, port);
    }

    /** Parses a port; 0 if it is none. */
    static int port(String digits) {
        int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : 0;
        return port > PORT_MAX ? 0 : port;
    }

    /** The form in a URL, without the usual port. */
    public String authority(int usualPort) {
        return port == usualPort ? HostNames.bracketed(host) : toString();
    }

    /** {@code host:port}, an IPv6 address in brackets. */
    @Override
    public String toString() {
        return HostNames.bracketed(host) + ":" + port;
    }
}
