package brig.gateway.oidc;

import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

/** What others keep and can neither read nor change: AES-256-GCM, in base64url. */
final class Seal {
    private static final String CIPHER = "AES/GCM/NoPadding";
    private static final int IV_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final SecureRandom RANDOM = new SecureRandom();

    private final List<SecretKeySpec> keys;

    /** @param keys each 32 bytes, the newest first, which alone seals */
    Seal(List<byte[]> keys) {
        this.keys = keys.stream().map(key -> new SecretKeySpec(key, "AES")).toList();
    }

    String seal(byte[] content) {
        byte[] iv = new byte[IV_BYTES];
        RANDOM.nextBytes(iv);
        try {
            Cipher cipher = Cipher.getInstance(CIPHER);
            cipher.init(Cipher.ENCRYPT_MODE, keys.getFirst(), new GCMParameterSpec(TAG_BITS, iv));
            byte[] sealed = Arrays.copyOf(iv, IV_BYTES + cipher.getOutputSize(content.length));
            cipher.doFinal(content, 0, content.length, sealed, IV_BYTES);
            return Base64.getUrlEncoder().withoutPadding().encodeToString(sealed);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + CIPHER, e);
        }
    }

    /** Empty for what was not sealed with one of the keys. */
    Optional<byte[]> open(String text) {
        byte[] sealed;
        try {
            sealed = Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
        return sealed.length <= IV_BYTES
                ? Optional.empty()
                : keys.stream().flatMap(key -> open(key, sealed).stream()).findFirst();
    }

    private static Optional<byte[]> open(SecretKeySpec key, byte[] sealed) {
        try {
            Cipher cipher = Cipher.getInstance(CIPHER);
            cipher.init(Cipher.DECRYPT_MODE, key, new GCMParameterSpec(TAG_BITS, sealed, 0, IV_BYTES));
            return Optional.of(cipher.doFinal(sealed, IV_BYTES, sealed.length - IV_BYTES));
        } catch (GeneralSecurityException otherKey) {
            return Optional.empty();
        }
    }
}
