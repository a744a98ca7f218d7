package brig.protocol.address;

import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Host names and address literals in normalized form: lower case, no trailing dot, no brackets. Forms that resolvers
 * accept as an address although they do not look like one ({@code 127.1}, {@code 0x7f000001}) are neither.
 */
public final class HostNames {
    private static final int NAME_LENGTH_MAX = 253;
    private static final Pattern NAME =
            Pattern.compile("(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\\.)*[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?");
    private static final Pattern NUMERIC_END = Pattern.compile("(?:.*\\.)?(?:[0-9]+|0x[0-9a-f]*)");
    private static final Pattern QUAD = Pattern.compile("(?:(?:0|[1-9][0-9]{0,2})\\.){3}(?:0|[1-9][0-9]{0,2})");

    private HostNames() {}

    /** The normalized host; null if it is not a host. */
    public static @Nullable String normalize(String host) {
        if (host.isEmpty() || host.length() > NAME_LENGTH_MAX + 2) {
            return null;
        }
        String lower = host.toLowerCase(Locale.ROOT);
        if (lower.startsWith("[") && lower.endsWith("]")) {
            InetAddress address = literal(lower.substring(1, lower.length() - 1));
            return address instanceof Inet6Address ? address.getHostAddress() : null;
        }
        InetAddress address = literal(lower);
        if (address != null) {
            return address.getHostAddress();
        }
        String name = lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
        boolean good = name.length() <= NAME_LENGTH_MAX
                && NAME.matcher(name).matches()
                && !NUMERIC_END.matcher(name).matches();
        return good ? name : null;
    }

    /** Parses an address literal without brackets; null if it is none. Resolves nothing. */
    public static @Nullable InetAddress literal(String text) {
        try {
            if (QUAD.matcher(text).matches()) {
                return Inet4Address.ofLiteral(text);
            }
            // A zone would select an interface of this host.
            return text.indexOf(':') >= 0 && text.indexOf('%') < 0 ? Inet6Address.ofLiteral(text) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** The form in a URL or a Host header. */
    public static String bracketed(String normalized) {
        return normalized.indexOf(':') >= 0 ? "[" + normalized + "]" : normalized;
    }
}
