package brig.workeragent.sandbox;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The network of a wall. Without listeners there is none at all; with some, every IPv4 address is one of the wall's own,
 * so that what the worker sends anywhere arrives at one of these sockets, which live outside, or nowhere.
 *
 * <p>Decisions 0044, 0045.
 *
 * @param listeners that listen inside before the worker's command starts, 64 at most
 * @param authority a PEM file whose certificate the wall trusts beside those that the host does; null for none
 */
public record NetworkPlan(
        List<Listener> listeners, @Nullable Path authority) {

    public static final NetworkPlan NONE = new NetworkPlan(List.of(), null);

    private static final int LISTENERS_MAX = 64;
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    /**
     * A socket of the wall.
     *
     * @param datagrams whether it is one for UDP, else it is one for TCP
     * @param address IPv4; {@code 0.0.0.0} for every address
     */
    public record Listener(boolean datagrams, String address, int port) {
        public Listener {
            if (!ADDRESS.matcher(address).matches()) throw new IllegalArgumentException("address: " + address);
            if (port < 1 || port > 65_535) throw new IllegalArgumentException("port: " + port);
        }

        private String protocol() {
            return datagrams ? "udp" : "tcp";
        }

        /** As brig-launcher takes it. */
        String wanted() {
            return protocol() + " " + address + " " + port;
        }

        /** As brig-init takes it. */
        String declared() {
            return protocol() + "/" + address + ":" + port;
        }
    }

    public NetworkPlan {
        listeners = List.copyOf(listeners);
        if (listeners.size() > LISTENERS_MAX) {
            throw new IllegalArgumentException("more than " + LISTENERS_MAX + " ports of a network");
        }
    }

    boolean exists() {
        return !listeners.isEmpty();
    }
}
