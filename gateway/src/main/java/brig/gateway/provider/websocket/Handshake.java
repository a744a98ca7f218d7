package brig.gateway.provider.websocket;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a client and a server of a WebSocket tell each other first (RFC 6455, 1.3). */
public final class Handshake {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final String SUFFIX = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

    private final String key;

    public Handshake() {
        byte[] bytes = new byte[16];
        RANDOM.nextBytes(bytes);
        key = Base64.getEncoder().encodeToString(bytes);
    }

    public Map<String, String> headers() {
        return Map.of(
                "Connection",
                "Upgrade",
                "Upgrade",
                "websocket",
                "Sec-WebSocket-Version",
                "13",
                "Sec-WebSocket-Key",
                key);
    }

    /** Whether that is what a server makes of the key. */
    public boolean isAccepted(@Nullable String accept) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-1").digest((key + SUFFIX).getBytes(StandardCharsets.US_ASCII));
            return Base64.getEncoder().encodeToString(hash).equals(accept);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-1", e);
        }
    }
}
