package brig.protocol.api;

import brig.protocol.SpawnState;
import brig.protocol.WireName;
import java.util.Locale;

/** The status of a session, derived from its spawn's state. */
public enum SessionStatus implements WireName {
    /** It does not accept messages yet, or that is unknown. */
    PENDING,
    /** Its worker accepts messages. */
    ACTIVE,
    /** It has ended. */
    INACTIVE;

    public static SessionStatus of(SpawnState state) {
        return switch (state) {
            case REQUESTED, SPAWNING, UNKNOWN, UNREACHABLE -> PENDING;
            case RUNNING -> ACTIVE;
            case TERMINATED, FAILED -> INACTIVE;
        };
    }

    /** The value of {@code status} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
