package brig.egress.policy;

import org.jspecify.annotations.Nullable;

/**
 * A port of a host.
 *
 * @param host as {@link HostNames#normalize} gives it
 * @param port 1 to 65535; 0 where it is not known
 */
public record HostPort(String host, int port) {
    private static final int PORT_MAX = 65_535;

    /**
     * Reads {@code host:port}, or {@code host} alone for the usual port. An IPv6 address stands in brackets where a port is
     * behind it.
     *
     * @param usualPort 0 for none: then the text must have one
     * @return null where it is neither
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

    /** The number that these digits are; 0 where it is no port. */
    static int port(String digits) {
        int port = digits.matches("[0-9]{1,5}") ? Integer.parseInt(digits) : 0;
        return port > PORT_MAX ? 0 : port;
    }

    /** As in a URL, without a port that is the usual one. */
    public String authority(int usualPort) {
        return port == usualPort ? HostNames.bracketed(host) : toString();
    }

    /** {@code host:port}, an IPv6 address in brackets. */
    @Override
    public String toString() {
        return HostNames.bracketed(host) + ":" + port;
    }
}
