package brig.gateway.spawn;

import brig.protocol.Ids;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Values derived from the gateway's own key, which are reproducible and therefore not stored: the tokens in the answer
 * to a repeatable request, and keyed fingerprints of such requests, since prompts could be guessed from plain hashes.
 *
 * <p>Decision 0039.
 */
public final class DerivedSecrets {
    private static final String HMAC = "HmacSHA256";

    private final SecretKeySpec key;

    /** @param key 256 random bits or more, as text */
    public DerivedSecrets(String key) {
        this.key = new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), HMAC);
    }

    /** The spawn's token for that role. */
    String token(String role, String spawnId) {
        return Ids.token(mac("token\n" + role + "\n" + spawnId));
    }

    /** In hexadecimal. */
    String fingerprint(byte[] canonical) {
        return HexFormat.of().formatHex(mac("request\n" + new String(canonical, StandardCharsets.UTF_8)));
    }

    private byte[] mac(String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + HMAC, e);
        }
    }
}
