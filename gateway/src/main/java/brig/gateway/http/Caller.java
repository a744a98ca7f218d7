package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.gateway.session.Session;
import brig.gateway.session.Sessions;
import brig.protocol.BrigException;
import brig.protocol.frame.AttachOptions;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** The caller of an operation, over HTTP or the spawner socket. */
public final class Caller {
    private final Access access;
    private final @Nullable Session session;
    private final Sessions sessions;
    private final String way;
    private final BooleanSupplier gone;

    /**
     * @param access the access within the session, if there is one
     * @param session the session of the operation, if it has one
     * @param way the interface, as the frames of a message report it
     * @param gone whether nobody waits for the answer any longer
     */
    public Caller(Access access, @Nullable Session session, Sessions sessions, String way, BooleanSupplier gone) {
        this.access = access;
        this.session = session;
        this.sessions = sessions;
        this.way = way;
        this.gone = gone;
    }

    /**
     * Resolves the session that an operation names.
     *
     * @param id any of its names; null if the operation has no session
     * @throws BrigException {@code NOT_FOUND}, or if the access does not reach it
     */
    public static Caller of(
            Access access, Who who, @Nullable String id, Sessions sessions, String way, BooleanSupplier gone) {
        boolean outlived = who == Who.HEIR && access.isAdmin();
        if (!who.isOfSession() || outlived || id == null) {
            return new Caller(access, null, sessions, way, gone);
        }
        Session session = sessions.find(id);
        Access here = access.in(session.spawn());
        if (who != Who.READER) {
            here.requireCaptain();
        }
        return new Caller(here, session, sessions, way, gone);
    }

    public Access access() {
        return access;
    }

    public Session session() {
        return Objects.requireNonNull(session, "the operation is not one of a session");
    }

    /** The spawn_id that an operation names; also of a forgotten spawn, for callers that may see it. */
    public String spawnId(String id) {
        return session == null ? sessions.spawnId(id) : session.spawn().spawnId();
    }

    /** The calling program, if it names itself, else the interface. @throws BrigException for an invalid name */
    public String via(@Nullable String client) {
        AttachOptions.requireClient(client);
        return client == null ? way : client;
    }

    public boolean isGone() {
        return gone.getAsBoolean();
    }
}
