package brig.egress.dns;

import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Maps addresses inside one wall to names. A name without a real address has one of 198.18.0.0/15 there, for the life
 * of the wall. State is owned by one event loop.
 */
public final class WallNames {
    private static final int FIRST = 198 << 24 | 18 << 16;
    private static final int COUNT_MAX = 4096;
    private static final int NAMES_OF_ADDRESS_MAX = 64;
    private static final int COUNT = 1 << 17;

    private final Map<String, Integer> synthetic = new HashMap<>();
    private final Map<Integer, String> bySynthetic = new HashMap<>();
    private final Map<Integer, Set<String>> byReal = new HashMap<>();

    /** The synthetic address of that name; null if the wall has too many names. */
    public byte @Nullable [] syntheticOf(String name) {
        Integer known = synthetic.get(name);
        if (known == null) {
            if (synthetic.size() >= COUNT_MAX) {
                return null;
            }
            // Starts at .1: some programs take an address that ends in 0 for a network.
            known = FIRST + 1 + synthetic.size();
            synthetic.put(name, known);
            bySynthetic.put(known, name);
        }
        return bytes(known);
    }

    /** Notes a real address that the wall got for that name. */
    public void learn(byte[] address, String name) {
        if (byReal.size() < COUNT_MAX) {
            Set<String> names = byReal.computeIfAbsent(number(address), unused -> new TreeSet<>());
            if (names.size() < NAMES_OF_ADDRESS_MAX) {
                names.add(name);
            }
        }
    }

    /** The names that an address may stand for; empty if the wall never got it. */
    public Set<String> namesOf(byte[] address) {
        String name = bySynthetic.get(number(address));
        return name != null ? Set.of(name) : Set.copyOf(byReal.getOrDefault(number(address), Set.of()));
    }

    /** Whether it lies in the synthetic range. */
    public static boolean isSynthetic(byte[] address) {
        int offset = number(address) - FIRST;
        return offset >= 0 && offset < COUNT;
    }

    private static int number(byte[] address) {
        return (address[0] & 0xff) << 24 | (address[1] & 0xff) << 16 | (address[2] & 0xff) << 8 | (address[3] & 0xff);
    }

    private static byte[] bytes(int number) {
        return new byte[] {(byte) (number >>> 24), (byte) (number >>> 16), (byte) (number >>> 8), (byte) number};
    }
}
