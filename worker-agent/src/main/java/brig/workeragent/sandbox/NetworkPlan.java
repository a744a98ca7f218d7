package brig.workeragent.sandbox;

import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The network of a wall. Without listeners there is none. With listeners every IPv4 address is local to the wall, so
 * that all its traffic arrives at one of these sockets, which are served outside, or nowhere.
 *
 * <p>Decisions 0044, 0045.
 *
 * @param listeners open before the worker's command starts, 64 at most
 * @param authority a PEM file whose certificate the wall trusts in addition to the host's; null for none
 */
public record NetworkPlan(
        List<Listener> listeners, @Nullable Path authority) {

    public static final NetworkPlan NONE = new NetworkPlan(List.of(), null);

    private static final int LISTENERS_MAX = 64;
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    /**
     * A socket of the wall.
     *
     * @param datagrams whether it is UDP instead of TCP
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

        /** The form for brig-launcher. */
        String wanted() {
            return protocol() + " " + address + " " + port;
        }

        /** The form for brig-init. */
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
