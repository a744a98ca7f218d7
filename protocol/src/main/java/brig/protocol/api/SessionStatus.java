package brig.protocol.api;

import brig.protocol.SpawnState;
import brig.protocol.WireName;
import java.util.Locale;

/** What a state of a spawn means for who wants to talk to it. */
public enum SessionStatus implements WireName {
    /** It cannot be talked to yet, or nobody knows whether it can. */
    PENDING,
    /** Its worker takes messages. */
    ACTIVE,
    /** It is over. */
    INACTIVE;

    public static SessionStatus of(SpawnState state) {
        return switch (state) {
            case REQUESTED, SPAWNING, UNKNOWN -> PENDING;
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
