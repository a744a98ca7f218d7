package brig.protocol;

import java.util.Locale;

/**
 * What a token permits. A session's connection only knows captains and watchers: an admin is a captain there, an
 * approver a watcher.
 */
public enum Role implements WireName {
    /** May do everything, in every session and in the gateway. */
    ADMIN,
    /** Starts sessions; reads and writes its own. */
    CAPTAIN,
    /** Reads, and answers what agents ask. */
    APPROVER,
    /** Only reads. */
    WATCHER;

    /** The value of {@code role} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
