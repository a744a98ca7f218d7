package brig.gateway.auth;

import brig.protocol.Ids;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A token split into two halves for a browser. One is in a cookie that no script can read; but browsers send cookies to
 * every port of a host, including agents' servers behind {@code brig port}. The other is in the storage of the page's
 * origin, which other ports cannot read, and is sent as a header, which other origins cannot set. Each half alone is
 * noise (a one-time pad). The gateway stores nothing: both together are the token, with its role and expiry.
 *
 * <p>Decision 0092.
 *
 * @param cookie base64url
 * @param key base64url
 */
public record TokenHalves(String cookie, String key) {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final int BYTES = 32;
    private static final int TEXT_LENGTH = 43;

    /** @param token as made by {@link Ids#newToken} */
    public static TokenHalves of(String token) {
        byte[] secret = Base64.getUrlDecoder().decode(token.substring(token.length() - TEXT_LENGTH));
        byte[] pad = new byte[BYTES];
        RANDOM.nextBytes(pad);
        return new TokenHalves(text(pad), text(xor(secret, pad)));
    }

    /** Joins two halves; empty if one of them is malformed. */
    public static Optional<String> join(@Nullable String cookie, @Nullable String key) {
        byte[] one = bytes(cookie);
        byte[] other = bytes(key);
        return one.length == BYTES && other.length == BYTES
                ? Optional.of(Ids.token(xor(one, other)))
                : Optional.empty();
    }

    private static byte[] bytes(@Nullable String text) {
        if (text == null || text.length() != TEXT_LENGTH) {
            return new byte[0];
        }
        try {
            return Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return new byte[0];
        }
    }

    private static String text(byte[] bytes) {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
    }

    private static byte[] xor(byte[] one, byte[] other) {
        byte[] both = new byte[BYTES];
        for (int i = 0; i < BYTES; i++) {
            both[i] = (byte) (one[i] ^ other[i]);
        }
        return both;
    }
}
