package brig.protocol.address;

import java.net.InetAddress;
import org.jspecify.annotations.Nullable;

/** A range of addresses that share the first {@code bits} with {@code network}. */
public record Cidr(InetAddress network, int bits) {
    /** Parses an address, with or without a slash and a number of bits; null if it is neither. */
    public static @Nullable Cidr parse(String text) {
        int slash = text.indexOf('/');
        InetAddress network = HostNames.literal(slash < 0 ? text : text.substring(0, slash));
        if (network == null) {
            return null;
        }
        int all = network.getAddress().length * Byte.SIZE;
        if (slash < 0) {
            return new Cidr(network, all);
        }
        String bits = text.substring(slash + 1);
        boolean number = bits.matches("[0-9]{1,3}") && Integer.parseInt(bits) <= all;
        return number ? new Cidr(network, Integer.parseInt(bits)) : null;
    }

    public static Cidr of(String text) {
        Cidr range = parse(text);
        if (range == null) {
            throw new IllegalArgumentException(text + " is not a range of addresses");
        }
        return range;
    }

    public boolean contains(InetAddress address) {
        return contains(address.getAddress());
    }

    boolean contains(byte[] address) {
        byte[] own = network.getAddress();
        if (own.length != address.length) {
            return false;
        }
        for (int bit = 0; bit < bits; bit += Byte.SIZE) {
            int mask = bits - bit >= Byte.SIZE ? 0xff : 0xff << (Byte.SIZE - (bits - bit));
            int at = bit / Byte.SIZE;
            if (((own[at] ^ address[at]) & mask & 0xff) != 0) {
                return false;
            }
        }
        return true;
    }
}
