package brig.gateway.auth;

import brig.gateway.spawn.Spawn;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.api.TokenView;
import brig.protocol.record.Extensible;
import brig.protocol.record.NotEmpty;
import brig.protocol.record.WriteNull;
import org.jspecify.annotations.Nullable;

/**
 * A minted token, as it is stored. Its secret was shown once and is not kept.
 *
 * <p>Decision 0033.
 *
 * @param hash SHA-256 of the secret, in hexadecimal
 * @param captain in whose name it acts; key of the limits per captain
 * @param spawnId the only session it opens; null for all sessions of the captain, or all for a watcher
 * @param createdMs milliseconds since 1970, as {@code expiresMs}, whose highest value means never
 * @param revoked whether it was revoked; kept until its expiry, so that its holder is told
 */
@Extensible
public record Token(
        @NotEmpty String hash,
        Role role,
        @NotEmpty String captain,
        @WriteNull @Nullable String spawnId,
        long createdMs,
        long expiresMs,
        boolean revoked) {

    private static final long NEVER = Long.MAX_VALUE;

    /** The id of a token: 64 bits of its hash. It reveals nothing about the secret. */
    public String id() {
        return idOf(hash);
    }

    static String idOf(String hash) {
        return "tok_" + hash.substring(0, 16);
    }

    static Token of(String secret, Role role, String captain, @Nullable String spawnId, long nowMs, long ttlMs) {
        return new Token(Ids.hashToken(secret), role, captain, spawnId, nowMs, nowMs + ttlMs, false);
    }

    /** One of the two tokens issued at a spawn's start; valid as long as the spawn is known. */
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

    /** The form shown in lists. */
    public TokenView view() {
        return new TokenView(id(), role, captain, spawnId, createdMs, expiresMs == NEVER ? null : expiresMs, revoked);
    }
}
