package brig.protocol;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.Pattern;

/** Identifiers and tokens: generation, syntax and comparison. */
public final class Ids {
    private static final SecureRandom RANDOM = new SecureRandom();
    /** Characters of an id that have its time. */
    private static final int TIME_CHARACTERS = 9;

    private static final char[] BASE32 = "0123456789abcdefghjkmnpqrstvwxyz".toCharArray();
    private static final Pattern TASK_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,127}");
    private static final Pattern SPAWN_ID = Pattern.compile("spn_[0-9a-z]{24}");
    private static final Pattern ASK_ID = Pattern.compile("ask_[0-9a-z]{24}");
    private static final Pattern UUID =
            Pattern.compile("[0-9A-Fa-f]{8}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{4}-[0-9A-Fa-f]{12}");
    private static final int TOKEN_BYTES = 32;

    private Ids() {}

    /** A new {@code spawn_id}: {@code spn_}, nine characters of milliseconds since 1970 (so ids sort by age), 75 random bits. */
    public static String newSpawnId(long nowMs) {
        return "spn_" + base32(nowMs, TIME_CHARACTERS) + random(15);
    }

    /** A new id of an ask: {@code ask_} and 24 characters as of a {@code spawn_id}. */
    public static String newAskId(long nowMs) {
        return "ask_" + base32(nowMs, TIME_CHARACTERS) + random(15);
    }

    /** A new stream epoch: eight characters, 40 random bits. */
    public static String newEpoch() {
        return random(8);
    }

    /**
     * A new bearer token: 256 random bits as unpadded base64url after {@code brig_}, by which secret scanners find it.
     */
    public static String newToken() {
        byte[] bytes = new byte[TOKEN_BYTES];
        RANDOM.nextBytes(bytes);
        return token(bytes);
    }

    /** A token made of 256 bits that the caller chose. */
    public static String token(byte[] bytes) {
        if (bytes.length != TOKEN_BYTES) {
            throw new IllegalArgumentException("a token has " + TOKEN_BYTES + " bytes");
        }
        return "brig_" + Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    /** SHA-256 of a token in hexadecimal. A token has 256 random bits, so a plain hash is enough to store it safely. */
    public static String hashToken(String token) {
        return hash(token);
    }

    /** SHA-256 of a text in hexadecimal. */
    public static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }

    /** Whether the token has that hash; compared in constant time. */
    public static boolean isToken(String token, String hash) {
        return MessageDigest.isEqual(
                hashToken(token).getBytes(StandardCharsets.US_ASCII), hash.getBytes(StandardCharsets.US_ASCII));
    }

    /** Normalizes a request id: a UUID in lower case. @throws BrigException {@code INVALID_FIELD} naming the field */
    public static String requestId(String field, String text) {
        if (!UUID.matcher(text).matches()) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "field '" + field + "' must be a UUID");
        }
        return text.toLowerCase(Locale.ROOT);
    }

    public static boolean isTaskId(String text) {
        return TASK_ID.matcher(text).matches();
    }

    public static boolean isSpawnId(String text) {
        return SPAWN_ID.matcher(text).matches();
    }

    public static boolean isAskId(String text) {
        return ASK_ID.matcher(text).matches();
    }

    /** When the ask with that id was made, in milliseconds since 1970. */
    public static long askedMs(String askId) {
        long ms = 0;
        for (int i = 0; i < TIME_CHARACTERS; i++) {
            ms = ms << 5 | (Arrays.binarySearch(BASE32, askId.charAt("ask_".length() + i)) & 31);
        }
        return ms;
    }

    private static String random(int characters) {
        StringBuilder out = new StringBuilder(characters);
        for (int i = 0; i < characters; i++) {
            out.append(BASE32[RANDOM.nextInt(BASE32.length)]);
        }
        return out.toString();
    }

    private static String base32(long value, int characters) {
        StringBuilder out = new StringBuilder(characters);
        for (int shift = (characters - 1) * 5; shift >= 0; shift -= 5) {
            out.append(BASE32[(int) (value >>> shift) & 31]);
        }
        return out.toString();
    }
}
