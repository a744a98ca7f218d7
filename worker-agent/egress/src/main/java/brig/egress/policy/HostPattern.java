package brig.egress.policy;

import brig.protocol.address.Cidr;
import brig.protocol.address.HostNames;
import java.net.IDN;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/**
 * An entry of a list of hosts: a name, {@code *.} and a name for all names below it, or an address or range of
 * addresses; with or without a port after a colon.
 *
 * @param text the entry as written, for people
 * @param name the host, or with {@code below} its suffix; empty for addresses
 * @param range null for names
 * @param port 0 if it names none
 */
public record HostPattern(
        String text, String name, boolean below, @Nullable Cidr range, int port) {
    /** @throws IllegalArgumentException naming the fault */
    public static HostPattern parse(String text) {
        Cidr whole = Cidr.parse(text);
        if (whole != null) {
            return new HostPattern(text, "", false, whole, 0);
        }
        int colon = text.lastIndexOf(':');
        boolean hasPort = colon >= 0 && !text.endsWith("]");
        String host = hasPort ? text.substring(0, colon) : text;
        int port = hasPort ? port(text, text.substring(colon + 1)) : 0;
        boolean brackets = host.startsWith("[") && host.endsWith("]");
        Cidr range = Cidr.parse(brackets ? host.substring(1, host.length() - 1) : host);
        if (range != null) {
            return new HostPattern(text, "", false, range, port);
        }
        boolean below = host.startsWith("*.");
        String name = HostNames.normalize(ascii(text, below ? host.substring(2) : host));
        if (name == null) {
            throw refusal(text);
        }
        return new HostPattern(text, name, below, null, port);
    }

    private static int port(String text, String digits) {
        int port = HostPort.port(digits);
        if (port == 0) {
            throw refusal(text);
        }
        return port;
    }

    private static String ascii(String text, String name) {
        try {
            return IDN.toASCII(name, IDN.USE_STD3_ASCII_RULES);
        } catch (IllegalArgumentException e) {
            // Host names must not have underscores, but some do.
            if (name.chars().allMatch(c -> c < 128)) {
                return name;
            }
            throw refusal(text);
        }
    }

    private static IllegalArgumentException refusal(String text) {
        return new IllegalArgumentException("'" + text + "' is no host: a name, *. and a name, an address or a"
                + " range of addresses; with :port behind it or without");
    }

    /** The same hosts with that port only. */
    String withPort(int only) {
        String host = port == 0 ? text : text.substring(0, text.lastIndexOf(':'));
        return (host.startsWith("[") ? host : HostNames.bracketed(host)) + ":" + only;
    }

    /** Whether it matches that host and port; without a port it matches all ports. */
    public boolean matches(String host, int port) {
        return (this.port == 0 || this.port == port) && matchesHost(host);
    }

    /** @param host as {@link HostNames#normalize} gives it */
    boolean matchesHost(String host) {
        if (range != null) {
            InetAddress address = HostNames.literal(host);
            return address != null && range.contains(address);
        }
        return below ? host.length() > name.length() + 1 && host.endsWith("." + name) : host.equals(name);
    }

    boolean matchesAddress(InetAddress address) {
        return range != null && range.contains(address);
    }
}
