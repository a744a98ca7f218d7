package brig.egress.secret;

import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Placeholders of secrets inside walls: {@code BRIG_SECRET_} and 24 random bytes in hexadecimal digits. */
public final class Placeholder {
    static final byte[] PREFIX = "BRIG_SECRET_".getBytes(StandardCharsets.US_ASCII);
    private static final int RANDOM_BYTES = 24;
    /** The length in characters and in bytes, as all are ASCII. */
    static final int LENGTH = PREFIX.length + 2 * RANDOM_BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();

    private Placeholder() {}

    /** A new placeholder for each of these secrets. */
    public static Map<String, String> forEach(Set<String> secrets) {
        Map<String, String> placeholders = new TreeMap<>();
        for (String secret : secrets) {
            byte[] random = new byte[RANDOM_BYTES];
            RANDOM.nextBytes(random);
            String prefix = new String(PREFIX, StandardCharsets.US_ASCII);
            placeholders.put(secret, prefix + HexFormat.of().formatHex(random));
        }
        return placeholders;
    }

    static boolean isDigit(byte b) {
        return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'f');
    }
}
