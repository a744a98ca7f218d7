package brig.gateway.http;

/** Who may call an operation, and whether its id must name an existing session. */
public enum Who {
    /** No token needed, or it is checked later. */
    ANYBODY,
    /** Any token; the operation checks the session that it names. */
    SOMEBODY,
    /** A token other than a session's own two. */
    KNOWN,
    /** Callers that may start sessions: an admin, or a captain whose token is not bound to a session. */
    STARTER,
    /** Callers that may read the session. */
    READER,
    /** A captain of the session. */
    DRIVER,
    /** As {@link #DRIVER}; for an admin the spawn need not be known any longer. */
    HEIR,
    ADMIN;

    public boolean isOfSession() {
        return this == READER || this == DRIVER || this == HEIR;
    }
}
