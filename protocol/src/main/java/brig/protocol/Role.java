package brig.protocol;

import java.util.Locale;

/** What a token is good for. On a session's connection there are only captains and watchers: an admin is a captain there. */
public enum Role implements WireName {
    /** Does everything, in every session and beyond. */
    ADMIN,
    /** Starts sessions and drives its own: speaks and listens. */
    CAPTAIN,
    /** Only listens. */
    WATCHER;

    /** The value of {@code role} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
