package brig.egress.secret;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Placeholders of secrets inside walls: {@code BRIG_SECRET_} and 24 bytes in hexadecimal digits, random ones or derived from a key. */
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
            placeholders.put(secret, written(random));
        }
        return placeholders;
    }

    /**
     * The placeholders of these secrets for one worker, always the same for the same key.
     *
     * @param key nobody else has it
     */
    public static Map<String, String> derived(byte[] key, String spawnId, Set<String> secrets) {
        Map<String, String> placeholders = new TreeMap<>();
        for (String secret : secrets) {
            placeholders.put(secret, written(hmac(key, spawnId + " " + secret)));
        }
        return placeholders;
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return Arrays.copyOf(mac.doFinal(text.getBytes(StandardCharsets.UTF_8)), RANDOM_BYTES);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String written(byte[] random) {
        return new String(PREFIX, StandardCharsets.US_ASCII) + HexFormat.of().formatHex(random);
    }

    static boolean isDigit(byte b) {
        return (b >= '0' && b <= '9') || (b >= 'a' && b <= 'f');
    }
}
