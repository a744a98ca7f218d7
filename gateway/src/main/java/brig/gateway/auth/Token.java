package brig.gateway.auth;

import brig.gateway.spawn.Spawn;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.api.TokenView;
import org.jspecify.annotations.Nullable;

/**
 * A token that was minted. Its secret was said once and is kept nowhere.
 *
 * <p>Decision 0033.
 *
 * @param hash SHA-256 of the secret, in hexadecimal
 * @param captain in whose name it acts, and key of the limits per captain
 * @param spawnId the only session that it opens; null for a captain's own and a watcher's all
 * @param createdMs milliseconds since 1970, as {@code expiresMs}, whose highest value means never
 * @param revoked it was taken back; kept until it would have expired, so that its holder is told
 */
public record Token(
        String hash,
        Role role,
        String captain,
        @Nullable String spawnId,
        long createdMs,
        long expiresMs,
        boolean revoked) {

    private static final long NEVER = Long.MAX_VALUE;

    /** The name of a token: 64 bits of its hash. It gives nothing of the secret away. */
    public String id() {
        return idOf(hash);
    }

    static String idOf(String hash) {
        return "tok_" + hash.substring(0, 16);
    }

    static Token of(String secret, Role role, String captain, @Nullable String spawnId, long nowMs, long ttlMs) {
        return new Token(Ids.hashToken(secret), role, captain, spawnId, nowMs, nowMs + ttlMs, false);
    }

    /** One of the two that a spawn was given at its start, which live as long as it can be named. */
    public static Token ownOf(Spawn spawn, Role role) {
        return new Token(
                role == Role.CAPTAIN ? spawn.captainHash() : spawn.watcherHash(),
                role,
                spawn.captain(),
                spawn.spawnId(),
                spawn.createdMs(),
                NEVER,
                false);
    }

    Token withdrawn(long untilMs) {
        return new Token(hash, role, captain, spawnId, createdMs, Math.min(expiresMs, untilMs), true);
    }

    /** What lists show. */
    public TokenView view() {
        return new TokenView(id(), role, captain, spawnId, createdMs, expiresMs == NEVER ? null : expiresMs, revoked);
    }
}
