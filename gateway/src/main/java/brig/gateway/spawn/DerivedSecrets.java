package brig.gateway.spawn;

import brig.protocol.Ids;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import java.util.List;
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

    /** The newest first, which alone makes something new. */
    private final List<SecretKeySpec> keys;

    /** @param key 256 random bits or more, as text */
    public DerivedSecrets(String key) {
        this(List.of(key));
    }

    /** @param keys each as above, the newest first; what was made with the others is still known */
    public DerivedSecrets(List<String> keys) {
        this.keys = keys.stream()
                .map(key -> new SecretKeySpec(key.getBytes(StandardCharsets.UTF_8), HMAC))
                .toList();
    }

    /** A new token of a spawn for that role. */
    String token(String role, String spawnId) {
        return token(keys.getFirst(), role, spawnId);
    }

    private static String token(SecretKeySpec key, String role, String spawnId) {
        return Ids.token(mac(key, "token\n" + role + "\n" + spawnId));
    }

    /** The spawn's token for that role, which may be of an older key; that of the newest if none fits. */
    String token(String role, String spawnId, String hash) {
        return keys.stream()
                .map(key -> token(key, role, spawnId))
                .filter(token -> Ids.isToken(token, hash))
                .findFirst()
                .orElseGet(() -> token(role, spawnId));
    }

    /** The key of the link to that sandbox: 64 hexadecimal digits. */
    public String linkKey(String sandbox) {
        return HexFormat.of().formatHex(mac(keys.getFirst(), "link\n" + sandbox));
    }

    /** Keys for that purpose: 32 bytes for each key, the newest first. */
    public List<byte[]> keys(String purpose) {
        return keys.stream().map(key -> mac(key, "key\n" + purpose)).toList();
    }

    /** In hexadecimal. */
    String fingerprint(byte[] canonical) {
        return fingerprint(keys.getFirst(), canonical);
    }

    private static String fingerprint(SecretKeySpec key, byte[] canonical) {
        return HexFormat.of().formatHex(mac(key, "request\n" + new String(canonical, StandardCharsets.UTF_8)));
    }

    /** Whether that fingerprint is one of these bytes, perhaps of an older key. */
    boolean isFingerprint(String fingerprint, byte[] canonical) {
        return keys.stream().anyMatch(key -> fingerprint(key, canonical).equals(fingerprint));
    }

    private static byte[] mac(SecretKeySpec key, String text) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(key);
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + HMAC, e);
        }
    }
}
