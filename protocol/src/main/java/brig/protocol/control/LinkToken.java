package brig.protocol.control;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * What proves to a worker-agent in a sandbox that its gateway connects: {@code 1.EPOCH.MAC}, where MAC is an HMAC-SHA-256
 * over gateway, spawn and epoch, in hexadecimal. A worker-agent takes each epoch once, so a token that somebody on the way
 * has seen is worth nothing.
 *
 * <p>Decision 0217.
 *
 * @param gateway the gateway's id
 * @param spawnId whose sandbox it is
 */
public record LinkToken(String gateway, String spawnId) {
    /** Where the worker-agent in a sandbox takes connections. */
    public static final int PORT = 17_471;

    /** The path of the request that opens one. */
    public static final String PATH = "/brig-link";

    /** The header of the token. Proxies keep {@code Authorization} for themselves. */
    public static final String HEADER = "X-Brig-Link";

    /** The protocol that the request asks for, where the way there carries more than WebSockets: bytes without a frame. */
    public static final String UPGRADE = "brig-link";

    private static final String HMAC = "HmacSHA256";
    private static final Pattern FORM = Pattern.compile("1\\.(0|[1-9]\\d{0,17})\\.([0-9a-f]{64})");

    /** The token for that epoch. */
    public String sign(byte[] key, long epoch) {
        return "1." + epoch + "." + HexFormat.of().formatHex(mac(key, epoch));
    }

    /** The epoch of a token; empty if it is none of ours. */
    public OptionalLong epochOf(String token, byte[] key) {
        Matcher form = FORM.matcher(token);
        if (!form.matches()) {
            return OptionalLong.empty();
        }
        long epoch = Long.parseLong(form.group(1));
        boolean ours = MessageDigest.isEqual(HexFormat.of().parseHex(form.group(2)), mac(key, epoch));
        return ours ? OptionalLong.of(epoch) : OptionalLong.empty();
    }

    private byte[] mac(byte[] key, long epoch) {
        try {
            Mac mac = Mac.getInstance(HMAC);
            mac.init(new SecretKeySpec(key, HMAC));
            String text = "brig-link 1\n" + gateway + "\n" + spawnId + "\n" + epoch + "\n";
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every JDK has " + HMAC, e);
        }
    }
}
