package brig.gateway.http;

/** Who may use an operation, and with it whether its id names a session that has to be there. */
public enum Who {
    /** Without a token, or with one that is looked at later. */
    ANYBODY,
    /** With any token; the operation looks at the session that it names. */
    SOMEBODY,
    /** With a token that counts beyond one session's own two. */
    KNOWN,
    /** Who may start sessions: an admin, or a captain whose token is not bound to a session. */
    STARTER,
    /** Whoever may listen to the session. */
    READER,
    /** A captain of the session. */
    DRIVER,
    /** As {@link #DRIVER}; an admin also where nothing is left but what the spawn left. */
    HEIR,
    ADMIN;

    public boolean isOfSession() {
        return this == READER || this == DRIVER || this == HEIR;
    }
}
