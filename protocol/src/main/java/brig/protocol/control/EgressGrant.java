package brig.protocol.control;

import brig.protocol.BrigException;
import brig.protocol.record.Default;
import java.util.List;
import java.util.Map;

/**
 * What the wall of a worker on another host must know of its network, which the worker-agent at home serves. It has no
 * host that is allowed, and no value of a secret.
 *
 * <p>Decision 0160.
 *
 * @param policy the name of the policy at home
 * @param open whether there is a network
 * @param authority the certificate that the wall trusts, PEM; empty if there is no network
 * @param ports ports at which the wall listens on every address
 * @param routes model routes by name: what follows the route in the URL of OpenAI's clients
 * @param placeholders of secrets, by the secret's name
 */
public record EgressGrant(
        String policy,
        boolean open,
        @Default("") String authority,
        @Default List<Integer> ports,
        @Default Map<String, String> routes,
        @Default Map<String, String> placeholders) {
    /** So many sockets a wall can have. */
    private static final int PORTS_MAX = 60;

    private static final int NAMES_MAX = 256;
    private static final int AUTHORITY_CHARS_MAX = 64 * 1024;

    public EgressGrant {
        ports = List.copyOf(ports);
        routes = Map.copyOf(routes);
        placeholders = Map.copyOf(placeholders);
        if (ports.size() > PORTS_MAX) {
            throw BrigException.invalid("ports", "has more than " + PORTS_MAX);
        }
        for (int port : ports) {
            if (port < 1 || port > LinkPurpose.PORT_MAX) {
                throw BrigException.invalid("ports", "has " + port);
            }
        }
        if (routes.size() > NAMES_MAX || placeholders.size() > NAMES_MAX) {
            throw BrigException.invalid("routes", "or placeholders are more than " + NAMES_MAX);
        }
        if (authority.length() > AUTHORITY_CHARS_MAX) {
            throw BrigException.invalid("authority", "is too long");
        }
    }
}
