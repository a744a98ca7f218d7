package brig.gateway.oidc;

import brig.gateway.time.Clock;
import brig.protocol.Ids;
import java.util.LinkedHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Sign-ins that began and wait for the issuer's answer. Each belongs to one browser, by its cookie, and is tried once.
 * Of too many the oldest are forgotten. Owned by the event loop.
 */
final class PendingSignIns {
    static final int PENDING_MAX = 10_000;
    /** How long a person may take at the issuer. */
    static final long PENDING_MS = 600_000;

    /**
     * A sign-in that waits.
     *
     * @param cookie a secret of the browser
     * @param nonce the ID token must have it
     * @param verifier of PKCE (RFC 7636)
     */
    record Pending(String state, String cookie, String nonce, String verifier) {}

    private record Kept(String cookieHash, Pending pending, long expiresMs) {}

    private final Clock clock;
    /** By hash of the state, the oldest first. */
    private final LinkedHashMap<String, Kept> byHash = new LinkedHashMap<>();

    PendingSignIns(Clock clock) {
        this.clock = clock;
    }

    Pending begin() {
        long nowMs = clock.nowMs();
        while (!byHash.isEmpty()
                && (byHash.size() >= PENDING_MAX
                        || byHash.firstEntry().getValue().expiresMs() <= nowMs)) {
            byHash.pollFirstEntry();
        }
        Pending begun = new Pending(Ids.newToken(), Ids.newToken(), Ids.newToken(), Ids.newToken());
        byHash.put(Ids.hashToken(begun.state()), new Kept(Ids.hashToken(begun.cookie()), begun, nowMs + PENDING_MS));
        return begun;
    }

    /** Takes it out, so that nobody tries it twice. @throws SignInRefusal if there is none for that browser */
    Pending take(@Nullable String state, @Nullable String cookie) {
        Kept kept = state == null ? null : byHash.remove(Ids.hashToken(state));
        if (kept == null || kept.expiresMs() <= clock.nowMs()) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.STATE,
                    "No sign-in waits for this answer: it was used, took longer than " + PENDING_MS / 60_000
                            + " minutes, or the gateway was restarted. Begin again.");
        }
        if (cookie == null || !kept.cookieHash().equals(Ids.hashToken(cookie))) {
            throw new SignInRefusal(
                    SignInRefusal.Cause.STATE,
                    "This sign-in began in another browser, or another one began in this browser since. Begin again"
                            + " here, and allow cookies.");
        }
        return kept.pending();
    }

    int size() {
        return byHash.size();
    }
}
