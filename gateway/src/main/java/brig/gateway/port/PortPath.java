package brig.gateway.port;

import brig.protocol.BrigException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The target of a request to an agent's server.
 *
 * @param base the prefix here of that server's {@code /}, without the final slash
 * @param target path and query for the server, unchanged
 */
record PortPath(String base, int port, String target) {
    /** Matches the raw request only: normalized dots or encodings could lead to another session. */
    private static final Pattern PLAIN =
            Pattern.compile("(/api/v1/sessions/[A-Za-z0-9._:-]+/ports/([0-9]{1,5}))(/[^#]*)");

    private static final int PORT_MAX = 65_535;

    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} */
    static PortPath parse(String uri) {
        Matcher plain = PLAIN.matcher(uri);
        if (!plain.matches()) {
            throw BrigException.invalid("path", "must be /api/v1/sessions/ID/ports/PORT/ and what follows");
        }
        int port = Integer.parseInt(plain.group(2));
        if (port < 1 || port > PORT_MAX) {
            throw BrigException.invalid("port", "must be from 1 to " + PORT_MAX);
        }
        return new PortPath(plain.group(1), port, plain.group(3));
    }

    String host() {
        return "127.0.0.1:" + port;
    }
}
