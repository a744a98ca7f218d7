package brig.protocol.api;

import brig.protocol.WireName;
import java.util.Locale;

/** The status of an agent in a tree, as of its latest frames. */
public enum AgentStatus implements WireName {
    /** Named by frames, but no frame gave a status. */
    UNKNOWN,
    SPAWNED,
    RUNNING,
    COMPLETED,
    FAILED,
    KILLED,
    /** Running when the stream ended; its end was not reported. */
    LOST;

    public boolean lives() {
        return this == SPAWNED || this == RUNNING;
    }

    /** The value of {@code status} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
