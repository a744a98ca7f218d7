package brig.gateway.http;

import brig.gateway.auth.Access;
import brig.gateway.session.Session;
import brig.gateway.session.Sessions;
import brig.protocol.BrigException;
import brig.protocol.frame.AttachOptions;
import java.util.Objects;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The caller of an operation, over HTTP or the spawner socket. Who has one may call the operation.
 *
 * <p>Decision 0148.
 */
public final class Caller {
    private final Access own;
    private final Access access;
    private final @Nullable Session session;
    private final Sessions sessions;
    private final Connection connection;

    /**
     * The connection of a caller.
     *
     * @param way the interface, as the frames of a message report it
     * @param gone whether nobody waits for the answer any longer
     * @param authenticated is called when the session of an operation accepts the caller's token
     */
    public record Connection(String way, BooleanSupplier gone, Runnable authenticated) {}

    private Caller(Access own, Access access, @Nullable Session session, Sessions sessions, Connection connection) {
        this.own = own;
        this.access = access;
        this.session = session;
        this.sessions = sessions;
        this.connection = connection;
    }

    /**
     * Checks the right of an operation, and resolves the session that it names.
     *
     * @param id any name of the session; null only if the operation is not about one session
     * @throws BrigException {@code NOT_FOUND}, or if the access does not suffice
     */
    public static Caller of(Access access, Who who, @Nullable String id, Sessions sessions, Connection connection) {
        who.require(access);
        if (!who.isOfSession() || who.outlivesSpawn(access)) {
            return new Caller(access, access, null, sessions, connection);
        }
        Session session = sessions.find(Objects.requireNonNull(id, "the operation names no session"));
        Access here = access.in(session.spawn());
        connection.authenticated().run();
        who.requireWithin(here);
        return new Caller(access, here, session, sessions, connection);
    }

    /** The access, whatever session the operation names: an admin's is that of an admin. */
    public Access own() {
        return own;
    }

    /** The access; within the session, if the operation has one. */
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

    /** Whether {@link #spawnId} resolves that name. */
    public boolean knows(String id) {
        return session != null || sessions.knows(id);
    }

    /** The calling program, if it names itself, else the interface. @throws BrigException for an invalid name */
    public String via(@Nullable String client) {
        AttachOptions.requireClient(client);
        return client == null ? connection.way() : client;
    }

    public boolean isGone() {
        return connection.gone().getAsBoolean();
    }
}
