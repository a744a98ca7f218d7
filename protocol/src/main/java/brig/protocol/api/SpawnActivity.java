package brig.protocol.api;

import brig.protocol.WireName;
import java.util.Locale;

/** The current activity of a session, as one word for people. */
public enum SpawnActivity implements WireName {
    STARTING,
    /** Works on a message. */
    WORKING,
    /** Waits for a person's decision. */
    WAITING,
    /** Works on a message, and a request of it waits, as the model's provider asked to send less. */
    THROTTLED_BY_PROVIDER,
    /** Has no message to work on. */
    IDLE,
    /** Idle after a message that failed, or ended without ever running. */
    FAILED,
    ENDED,
    /** It is unknown whether it is alive. */
    UNKNOWN,
    /** The link to its host is lost; it goes on there. */
    UNREACHABLE;

    /** The value of {@code activity} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
