package brig.protocol.address;

import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Addresses that no name may lead to, because their services trust whoever can reach them: this host, its networks,
 * cloud services. Thread-safe.
 */
public final class AddressGuard {
    private record Kind(String name, List<Cidr> ranges) {
        static Kind of(String name, String... ranges) {
            return new Kind(name, Stream.of(ranges).map(Cidr::of).toList());
        }
    }

    private static final List<Kind> CLOSED = List.of(
            Kind.of("an address of this host", "0.0.0.0/8", "127.0.0.0/8", "::/128", "::1/128"),
            Kind.of("a link-local address", "169.254.0.0/16", "fe80::/10"),
            Kind.of(
                    "a private address",
                    "10.0.0.0/8",
                    "172.16.0.0/12",
                    "192.168.0.0/16",
                    "100.64.0.0/10",
                    "192.0.0.0/24",
                    "198.18.0.0/15",
                    "fc00::/7",
                    "fec0::/10",
                    "64:ff9b:1::/48"),
            Kind.of("a multicast or broadcast address", "224.0.0.0/4", "240.0.0.0/4", "ff00::/8"),
            Kind.of(
                    "an address for documentation",
                    "192.0.2.0/24",
                    "198.51.100.0/24",
                    "203.0.113.0/24",
                    "2001:db8::/32",
                    "3fff::/20",
                    "100::/64"),
            // Azure's metadata service is the only one with a public address.
            Kind.of("an address of a metadata service", "168.63.129.16/32"),
            Kind.of("an IPv4 address in an IPv6 one", "::/96", "::ffff:0:0:0/96", "2002::/16", "2001::/32"));
    private static final Cidr MAPPED = new Cidr(mapped(), 96);
    private static final Cidr NAT64 = Cidr.of("64:ff9b::/96");
    private static final int IPV4_BYTES = 4;
    private static final long OWN_NANOS = TimeUnit.SECONDS.toNanos(5);

    private record Own(Set<InetAddress> addresses, long readNanos) {}

    private final Supplier<Set<InetAddress>> interfaces;
    private final LongSupplier nanos;
    private volatile @Nullable Own own;

    /** A guard for this host. */
    public AddressGuard() {
        this(AddressGuard::ofInterfaces, System::nanoTime);
    }

    /** @param interfaces reads the host's addresses; called again every few seconds */
    AddressGuard(Supplier<Set<InetAddress>> interfaces, LongSupplier nanos) {
        this.interfaces = interfaces;
        this.nanos = nanos;
    }

    /** Builds the network of mapped addresses: the JDK would parse its literal as an IPv4 address. */
    private static InetAddress mapped() {
        byte[] bytes = new byte[16];
        bytes[10] = -1;
        bytes[11] = -1;
        try {
            // With a scope the JDK keeps it an IPv6 address.
            return Inet6Address.getByAddress(null, bytes, 0);
        } catch (UnknownHostException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The kind of closed address, for people; null if it is open. */
    public @Nullable String closed(InetAddress address) {
        return closed(address.getAddress());
    }

    private @Nullable String closed(byte[] bytes) {
        if (MAPPED.contains(bytes) || NAT64.contains(bytes)) {
            return closed(Arrays.copyOfRange(bytes, bytes.length - IPV4_BYTES, bytes.length));
        }
        for (Kind kind : CLOSED) {
            if (kind.ranges().stream().anyMatch(range -> range.contains(bytes))) {
                return kind.name();
            }
        }
        return isOwn(bytes) ? "an address of this host" : null;
    }

    private boolean isOwn(byte[] bytes) {
        Own known = own;
        long now = nanos.getAsLong();
        if (known == null || now - known.readNanos() > OWN_NANOS) {
            known = new Own(interfaces.get(), now);
            own = known;
        }
        return known.addresses().stream().anyMatch(mine -> Arrays.equals(mine.getAddress(), bytes));
    }

    private static Set<InetAddress> ofInterfaces() {
        Set<InetAddress> addresses = new HashSet<>();
        try {
            NetworkInterface.networkInterfaces()
                    .forEach(one -> addresses.addAll(Collections.list(one.getInetAddresses())));
        } catch (SocketException e) {
            throw new IllegalStateException("cannot list the addresses of this host", e);
        }
        return addresses;
    }
}
