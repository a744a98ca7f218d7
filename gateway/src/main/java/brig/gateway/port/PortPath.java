package brig.gateway.port;

import brig.protocol.json.Fields;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a request to a server of an agent asks for.
 *
 * @param base where that server's {@code /} is here, without the slash
 * @param target what the server is asked for: path and query, as they came
 */
record PortPath(String base, int port, String target) {
    /** Only as it stands in the request: what was made of dots or of another spelling could be another session's. */
    private static final Pattern PLAIN =
            Pattern.compile("(/api/v1/sessions/[A-Za-z0-9._:-]+/ports/([0-9]{1,5}))(/[^#]*)");

    private static final int PORT_MAX = 65_535;

    /** @throws brig.protocol.BrigException {@code INVALID_FIELD} */
    static PortPath parse(String uri) {
        Matcher plain = PLAIN.matcher(uri);
        if (!plain.matches()) {
            throw Fields.invalid("path", "must be /api/v1/sessions/ID/ports/PORT/ and what follows");
        }
        int port = Integer.parseInt(plain.group(2));
        if (port < 1 || port > PORT_MAX) {
            throw Fields.invalid("port", "must be from 1 to " + PORT_MAX);
        }
        return new PortPath(plain.group(1), port, plain.group(3));
    }

    String host() {
        return "127.0.0.1:" + port;
    }
}
