package brig.gateway.auth;

import brig.gateway.spawn.Spawn;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.spawn.SpawnRequest;
import org.jspecify.annotations.Nullable;

/**
 * Who asks, and what that may do. It is established once for each connection or request; a token that is revoked or
 * expires later closes its connections, see {@link Tokens#watch}.
 *
 * @param captain in whose name it acts, key of the limits per captain
 * @param role null for a secret that is not known by itself: it may be one of a spawn's own
 * @param spawnId the only session that it opens; null for no such bound
 * @param secret the token that came along; null for none
 * @param tokenId the token that can be revoked; null where the kernel vouches, or there is none
 */
public record Access(
        String captain,
        @Nullable Role role,
        @Nullable String spawnId,
        @Nullable String secret,
        @Nullable String tokenId) {
    private static final Access NOBODY = new Access("nobody", null, null, null, null);

    /** Who has shown nothing yet. */
    public static Access nobody() {
        return NOBODY;
    }

    /**
     * A local user, by the kernel's word: a captain, as whoever has a captain's token is.
     *
     * @param admin whether it is the superuser, or the user that Brig runs as, who may do everything
     */
    public static Access ofPeer(int uid, boolean admin) {
        return new Access("uid:" + uid, admin ? Role.ADMIN : Role.CAPTAIN, null, null, null);
    }

    /** The same as who asks for a spawn, by that way in. */
    public SpawnRequest.Asker asker(String via) {
        return new SpawnRequest.Asker(captain, isAdmin(), via);
    }

    public boolean isAdmin() {
        return role == Role.ADMIN;
    }

    /** Whether nothing was shown that could be a right. */
    public boolean isNobody() {
        return role == null && secret == null;
    }

    /** The same as a one-time way in: to one session, where that is given, and to watch, where that is enough. */
    Access narrowed(@Nullable String session, boolean watchOnly) {
        return new Access(captain, watchOnly ? Role.WATCHER : role, session == null ? spawnId : session, null, tokenId);
    }

    /** The same where it only listens. */
    public Access asWatcher() {
        return new Access(captain, Role.WATCHER, spawnId, secret, tokenId);
    }

    /** Whether it is one of the two tokens that the spawn was given at its start. */
    private boolean isOwnOf(Spawn spawn) {
        return role == null && secret != null && (spawn.isCaptainToken(secret) || spawn.isWatcherToken(secret));
    }

    /** Whether it reaches that session, where it is known by itself. */
    private boolean reaches(Spawn spawn) {
        return spawnId != null
                ? spawnId.equals(spawn.spawnId())
                : role != Role.CAPTAIN || captain.equals(spawn.captain());
    }

    /** Whether lists show it that session. */
    public boolean sees(Spawn spawn) {
        return role != null && reaches(spawn);
    }

    /**
     * This access as it counts in that session: its role there is captain or watcher.
     *
     * @throws BrigException {@code ATTACH_AUTH_MISSING}, or {@code UNAUTHENTICATED}, which does not say what was wrong, nor
     *     whether the token is one of another session
     */
    public Access in(Spawn spawn) {
        if (isNobody()) {
            throw new BrigException(ErrorCode.ATTACH_AUTH_MISSING, "this needs a token: Authorization: Bearer …");
        }
        if (isOwnOf(spawn) && secret != null) {
            Role own = spawn.isCaptainToken(secret) ? Role.CAPTAIN : Role.WATCHER;
            return new Access(spawn.captain(), own, spawn.spawnId(), secret, tokenId);
        }
        if (!sees(spawn)) {
            throw new BrigException(
                    ErrorCode.UNAUTHENTICATED,
                    secret == null && tokenId == null
                            ? "the session is another captain's"
                            : "the token is not one of this session");
        }
        return new Access(captain, role == Role.WATCHER ? Role.WATCHER : Role.CAPTAIN, spawnId, secret, tokenId);
    }

    /** @throws BrigException {@code FORBIDDEN} for a watcher */
    public void requireCaptain() {
        if (role != Role.CAPTAIN && role != Role.ADMIN) {
            throw new BrigException(ErrorCode.FORBIDDEN, "a watcher only listens");
        }
    }
}
