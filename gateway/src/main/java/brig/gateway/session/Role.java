package brig.gateway.session;

import java.util.Locale;

/** What a connection may do. A captain speaks and listens; a watcher only listens. */
public enum Role {
    CAPTAIN,
    WATCHER;

    /** The value of {@code role} on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
