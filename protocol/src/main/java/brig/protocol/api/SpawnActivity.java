package brig.protocol.api;

import brig.protocol.WireName;
import java.util.Locale;

/** What a session does now, in a word for a person. */
public enum SpawnActivity implements WireName {
    STARTING,
    /** It works off a message. */
    WORKING,
    /** It waits for a person's decision. */
    WAITING,
    /** It has nothing to do. */
    IDLE,
    /** It has nothing to do, and the last message ended badly; or it is over and never came to run. */
    FAILED,
    ENDED,
    /** Nobody can say whether it lives. */
    UNKNOWN;

    /** The value of {@code activity} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
