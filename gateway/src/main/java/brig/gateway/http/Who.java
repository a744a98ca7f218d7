package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;

/**
 * Who may call an operation, and whether its id must name an existing session.
 *
 * <p>Decision 0148.
 */
public enum Who {
    /** No token needed, or it is checked later. */
    ANYBODY,
    /** Any token; the operation checks the session that it names. */
    SOMEBODY,
    /** A token other than a session's own two. */
    KNOWN,
    /** Callers that may start sessions: an admin, or a captain whose token is not bound to a session. */
    STARTER,
    /** Callers that may read the session: its watchers, approvers and captains. */
    WATCHER,
    /** A captain of the session. */
    CAPTAIN,
    /** As {@link #WATCHER}; for an admin the spawn of the workspace need not be known any longer. */
    WORKSPACE_WATCHER,
    /** As {@link #CAPTAIN}; for an admin the spawn of the workspace need not be known any longer. */
    WORKSPACE_CAPTAIN,
    ADMIN;

    /** Whether the operation is about one session, which its id names. */
    boolean isOfSession() {
        return switch (this) {
            case WATCHER, CAPTAIN, WORKSPACE_WATCHER, WORKSPACE_CAPTAIN -> true;
            case ANYBODY, SOMEBODY, KNOWN, STARTER, ADMIN -> false;
        };
    }

    /** Whether that access may name a spawn that is no longer known. */
    boolean outlivesSpawn(Access access) {
        return access.isAdmin() && (this == WORKSPACE_WATCHER || this == WORKSPACE_CAPTAIN);
    }

    /** @throws BrigException {@code FORBIDDEN} if the access does not suffice, whatever the session */
    public void require(Access access) {
        boolean reaches = switch (this) {
            case ANYBODY, WATCHER, CAPTAIN, WORKSPACE_WATCHER, WORKSPACE_CAPTAIN -> true;
            case SOMEBODY -> !access.isNobody();
            case KNOWN -> access.role() != null;
            case STARTER -> access.isAdmin() || (access.role() == Role.CAPTAIN && access.spawnId() == null);
            case ADMIN -> access.isAdmin();
        };
        if (!reaches) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    this == ADMIN
                            ? "only an admin may do this; over HTTP: Authorization: Bearer $(brig token)"
                            : "the token does not reach that far");
        }
    }

    /** @throws BrigException {@code FORBIDDEN} if the access within the session does not suffice */
    void requireWithin(Access here) {
        if (this == CAPTAIN || this == WORKSPACE_CAPTAIN) {
            here.requireCaptain();
        }
    }
}
