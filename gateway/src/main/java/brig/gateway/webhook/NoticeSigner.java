package brig.gateway.webhook;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signs notices: HMAC-SHA256 of the time, a dot and the body. The time is signed too, so that a receiver can refuse an
 * old notice that somebody repeats.
 */
public final class NoticeSigner {
    private static final String ALGORITHM = "HmacSHA256";
    private static final int SECRET_CHARACTERS_MIN = 16;

    private final SecretKeySpec key;

    /** @throws BrigException for a secret that can be guessed */
    public NoticeSigner(String secret) {
        if (secret.length() < SECRET_CHARACTERS_MIN) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    "the secret in asks.webhook.secretFile must have at least " + SECRET_CHARACTERS_MIN
                            + " characters: openssl rand -hex 32 makes one");
        }
        this.key = new SecretKeySpec(secret.getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    /** The value of {@code Brig-Signature}. */
    String sign(String timestamp, byte[] body) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((timestamp + ".").getBytes(StandardCharsets.US_ASCII));
            return "v1=" + HexFormat.of().formatHex(mac.doFinal(body));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + ALGORITHM, e);
        }
    }
}
