package brig.gateway.oidc;

import brig.gateway.time.Clock;
import brig.protocol.Ids;
import brig.protocol.json.Json;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Sign-ins that began and wait for the issuer's answer. Nothing is kept of them: all that is known of one is sealed in a
 * cookie of the browser in which it began, so every gateway with the same key can end it. The issuer takes a code once.
 *
 * <p>Decision 0216.
 */
final class PendingSignIns {
    /** How long a person may take at the issuer. */
    static final long PENDING_MS = 600_000;

    /** Longer than any cookie of a sign-in. */
    private static final int COOKIE_MAX = 1_024;

    /**
     * A sign-in that waits.
     *
     * @param cookie what the browser keeps
     * @param nonce the ID token must have it
     * @param verifier of PKCE (RFC 7636)
     */
    record Pending(String state, String cookie, String nonce, String verifier) {}

    private record Sealed(String state, String nonce, String verifier, long expiresMs) {}

    private final Seal seal;
    private final Clock clock;

    /** @param keys as for {@link Seal} */
    PendingSignIns(List<byte[]> keys, Clock clock) {
        this.seal = new Seal(keys);
        this.clock = clock;
    }

    Pending begin() {
        Sealed begun = new Sealed(Ids.newToken(), Ids.newToken(), Ids.newToken(), clock.nowMs() + PENDING_MS);
        return new Pending(begun.state(), seal.seal(Json.write(begun)), begun.nonce(), begun.verifier());
    }

    /** The sign-in of that answer. @throws SignInRefusal if none began in that browser */
    Pending find(@Nullable String state, @Nullable String cookie) {
        if (state == null) {
            throw refusal("No sign-in waits for this answer.");
        }
        Sealed begun = cookie == null || cookie.length() > COOKIE_MAX
                ? null
                : seal.open(cookie)
                        .map(content -> Json.read(content, Sealed.class))
                        .orElse(null);
        if (cookie == null || begun == null || !isEqual(begun.state(), state)) {
            throw refusal("This sign-in was used, began in another browser, or another one began in this browser since."
                    + " Begin again here, and allow cookies.");
        }
        if (begun.expiresMs() <= clock.nowMs()) {
            throw refusal("The sign-in took longer than " + PENDING_MS / 60_000 + " minutes. Begin again.");
        }
        return new Pending(begun.state(), cookie, begun.nonce(), begun.verifier());
    }

    private static boolean isEqual(String one, String other) {
        return MessageDigest.isEqual(one.getBytes(StandardCharsets.UTF_8), other.getBytes(StandardCharsets.UTF_8));
    }

    private static SignInRefusal refusal(String why) {
        return new SignInRefusal(SignInRefusal.Cause.STATE, why);
    }
}
