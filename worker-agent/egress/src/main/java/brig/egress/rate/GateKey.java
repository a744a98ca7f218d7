package brig.egress.rate;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * What shares a gate: a provider's address and the credential that it knows its client by.
 *
 * @param credential a hash
 */
public record GateKey(String scheme, String host, int port, String credential) {
    /** @param credentials the values of the request's headers that hold any */
    public static GateKey of(String scheme, String host, int port, List<String> credentials) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (String value : credentials) {
                digest.update(value.getBytes(StandardCharsets.UTF_8));
                digest.update((byte) '\n');
            }
            return new GateKey(scheme, host, port, HexFormat.of().formatHex(digest.digest()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
