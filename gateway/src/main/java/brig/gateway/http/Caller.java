package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.gateway.session.Session;
import brig.gateway.session.Sessions;
import brig.protocol.BrigException;
import brig.protocol.frame.AttachOptions;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/** Who asks for an operation, over HTTP or on the spawner socket. */
public final class Caller {
    private final Access access;
    private final @Nullable Session session;
    private final Sessions sessions;
    private final String way;
    private final BooleanSupplier gone;

    /**
     * @param access as it counts in the session, where there is one
     * @param session what the operation is about, where it is one of a session
     * @param way the way in, as the frames of a message tell it
     * @param gone whether nobody waits for the answer any more
     */
    public Caller(Access access, @Nullable Session session, Sessions sessions, String way, BooleanSupplier gone) {
        this.access = access;
        this.session = session;
        this.sessions = sessions;
        this.way = way;
        this.gone = gone;
    }

    /**
     * Looks at the session that an operation names.
     *
     * @param id any of its names; null where the operation is none of a session
     * @throws BrigException {@code NOT_FOUND}, or where the access does not reach it
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

    /** The spawn_id of what the operation is about; also of what is known no more, for who may see that. */
    public String spawnId(String id) {
        return session == null ? sessions.spawnId(id) : session.spawn().spawnId();
    }

    /** The program that asks, where it names itself, or else the way in. @throws BrigException where that is no name */
    public String via(@Nullable String client) {
        AttachOptions.requireClient(client);
        return client == null ? way : client;
    }

    public boolean isGone() {
        return gone.getAsBoolean();
    }
}
