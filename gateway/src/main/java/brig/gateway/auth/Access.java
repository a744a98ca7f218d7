package brig.gateway.auth;

import brig.gateway.spawn.Spawn;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.spawn.SpawnRequest;
import org.jspecify.annotations.Nullable;

/**
 * The identity and the rights of a client, determined once per connection or request. A token that is revoked or
 * expires later closes its connections, see {@link Tokens#watch}.
 *
 * @param captain in whose name it acts; key of the limits per captain
 * @param role null for an unknown secret, which may be one of a spawn's own
 * @param spawnId the only session it opens; null for no such limit
 * @param secret the token presented; null for none
 * @param tokenId the revocable token; null if the kernel authenticates, or there is none
 */
public record Access(
        String captain,
        @Nullable Role role,
        @Nullable String spawnId,
        @Nullable String secret,
        @Nullable String tokenId) {
    private static final Access NOBODY = new Access("nobody", null, null, null, null);

    /** A client without credentials. */
    public static Access nobody() {
        return NOBODY;
    }

    /**
     * A local user, authenticated by the kernel: a captain.
     *
     * @param admin whether it is root or the user that Brig runs as, who may do everything
     */
    public static Access ofPeer(int uid, boolean admin) {
        return new Access("uid:" + uid, admin ? Role.ADMIN : Role.CAPTAIN, null, null, null);
    }

    /** The requester of a spawn over that interface. */
    public SpawnRequest.Asker asker(String via) {
        return new SpawnRequest.Asker(captain, isAdmin(), via);
    }

    public boolean isAdmin() {
        return role == Role.ADMIN;
    }

    /** Whether it has neither a role nor a secret. */
    public boolean isNobody() {
        return role == null && secret == null;
    }

    /** The rights of a ticket: limited to that session, if any, and to watching, if so requested. */
    Access narrowed(@Nullable String session, boolean watchOnly) {
        return new Access(captain, watchOnly ? Role.WATCHER : role, session == null ? spawnId : session, null, tokenId);
    }

    /** A read-only copy. */
    public Access asWatcher() {
        return new Access(captain, Role.WATCHER, spawnId, secret, tokenId);
    }

    /** Whether it is one of the two tokens issued at the spawn's start. */
    private boolean isOwnOf(Spawn spawn) {
        return role == null && secret != null && (spawn.isCaptainToken(secret) || spawn.isWatcherToken(secret));
    }

    /** Whether its own scope includes that session. */
    private boolean reaches(Spawn spawn) {
        return spawnId != null
                ? spawnId.equals(spawn.spawnId())
                : role != Role.CAPTAIN || captain.equals(spawn.captain());
    }

    /** Whether lists show that session to it. */
    public boolean sees(Spawn spawn) {
        return role != null && reaches(spawn);
    }

    /** Whether it opens that session. */
    public boolean opens(Spawn spawn) {
        return isOwnOf(spawn) || sees(spawn);
    }

    /**
     * The access within that session, with the role of captain, approver or watcher.
     *
     * @throws BrigException {@code ATTACH_AUTH_MISSING}, or {@code UNAUTHENTICATED}, which reveals neither the cause
     *     nor whether the token belongs to another session
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
        return new Access(captain, isAdmin() ? Role.CAPTAIN : role, spawnId, secret, tokenId);
    }

    /** Its role on a connection to a session: a captain writes, all others are watchers. */
    public Role connectionRole() {
        return mayDrive() ? Role.CAPTAIN : Role.WATCHER;
    }

    private boolean mayDrive() {
        return role == Role.CAPTAIN || role == Role.ADMIN;
    }

    /** @throws BrigException {@code FORBIDDEN} for an approver or a watcher */
    public void requireCaptain() {
        if (!mayDrive()) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    role == Role.APPROVER
                            ? "an approver answers asks and only listens else"
                            : "a watcher only listens");
        }
    }

    /** @throws BrigException {@code FORBIDDEN} for a client that may not answer asks */
    public void requireApprover() {
        if (role != Role.APPROVER) {
            requireCaptain();
        }
    }
}
