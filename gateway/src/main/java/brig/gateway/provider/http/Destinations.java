package brig.gateway.provider.http;

import brig.gateway.provider.ProviderFailure;
import brig.protocol.address.AddressGuard;
import brig.protocol.address.Cidr;
import brig.protocol.address.HostNames;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.List;

/**
 * Where a name leads. It is looked up once and each address is judged; only those that passed are dialled, so a name that
 * changes its mind gains nothing. Decision 0050.
 */
final class Destinations {
    private static final int ADDRESSES_TRIED_MAX = 3;

    /** Finds the addresses of a name. May block. */
    @FunctionalInterface
    interface Lookup {
        InetAddress[] all(String name) throws UnknownHostException;
    }

    private final Lookup lookup;
    private final AddressGuard guard;
    private final List<Cidr> networks;

    /** @param networks of closed addresses that are allowed */
    Destinations(Lookup lookup, AddressGuard guard, List<Cidr> networks) {
        this.lookup = lookup;
        this.guard = guard;
        this.networks = networks;
    }

    /** The addresses to try, in order; never none. May block. @throws ProviderFailure if there is none, or none allowed */
    List<InetAddress> of(String host) {
        List<InetAddress> open = new ArrayList<>();
        String why = host + " has no address";
        for (InetAddress address : addresses(host)) {
            String kind = guard.closed(address);
            if (kind != null && networks.stream().noneMatch(range -> range.contains(address))) {
                why = host + " leads to " + address.getHostAddress() + ", " + kind
                        + ", which the networks of the provider do not name";
            } else if (open.size() < ADDRESSES_TRIED_MAX) {
                open.add(address);
            }
        }
        if (open.isEmpty()) {
            throw new ProviderFailure(ProviderFailure.Kind.UNTRUSTED, why);
        }
        return open;
    }

    private List<InetAddress> addresses(String host) {
        InetAddress literal = HostNames.literal(host);
        if (literal != null) {
            return List.of(literal);
        }
        try {
            return List.of(lookup.all(host));
        } catch (UnknownHostException e) {
            throw new ProviderFailure(ProviderFailure.Kind.UNREACHED, host + " has no address");
        }
    }
}
