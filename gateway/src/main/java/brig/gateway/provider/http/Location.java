package brig.gateway.provider.http;

import brig.protocol.VisibleText;
import brig.protocol.address.HostNames;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A server that speaks TLS, and the path below which all requests go.
 *
 * @param host normalized
 * @param path empty, or begins with a slash and does not end with one
 */
public record Location(String host, int port, String path) {
    private static final String SCHEME = "https://";
    private static final int PORT = 443;
    private static final int LENGTH_MAX = 2048;
    private static final Pattern FORM =
            Pattern.compile("(\\[[0-9A-Fa-f:.]+]|[^\\[\\]:/?#@\\\\%]+)(?::([0-9]{1,5}))?((?:/[A-Za-z0-9._~%=,+-]*)*)");
    private static final Pattern UPWARDS = Pattern.compile("(?i)(?:^|/)(?:\\.|%2e){1,2}(?:/|$)");

    /** @throws IllegalArgumentException if that is not {@code https://} with a host, and perhaps a port and a path */
    public static Location ofUrl(String url) {
        if (!url.startsWith(SCHEME)) {
            throw new IllegalArgumentException("must begin with " + SCHEME);
        }
        return ofEndpoint(url.substring(SCHEME.length()));
    }

    /** The same without {@code https://}. @throws IllegalArgumentException as {@link #ofUrl} */
    public static Location ofEndpoint(String endpoint) {
        Matcher form = FORM.matcher(endpoint.length() > LENGTH_MAX ? "" : endpoint);
        String host = form.matches() ? HostNames.normalize(form.group(1)) : null;
        int port = host == null || form.group(2) == null ? PORT : Integer.parseInt(form.group(2));
        if (host == null
                || port < 1
                || port > 0xffff
                || UPWARDS.matcher(form.group(3)).find()) {
            throw new IllegalArgumentException("must be a host, perhaps with a port and a path, and is "
                    + VisibleText.of(endpoint.substring(0, Math.min(endpoint.length(), 100))));
        }
        return new Location(host, port, form.group(3).replaceFirst("/+$", ""));
    }

    /** A text as one part of a path or a query. */
    public static String encoded(String text) {
        return URLEncoder.encode(text, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** As people know it. */
    String authority() {
        return HostNames.bracketed(host) + (port == PORT ? "" : ":" + port);
    }
}
