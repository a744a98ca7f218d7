package brig.protocol.api;

import brig.protocol.WireName;
import java.util.Locale;

/** How an agent of a tree fares, as its frames said last. */
public enum AgentStatus implements WireName {
    /** Frames name it, and none says how it fares. */
    UNKNOWN,
    SPAWNED,
    RUNNING,
    COMPLETED,
    FAILED,
    KILLED,
    /** It ran when the stream ended, and no frame says what became of it. */
    LOST;

    public boolean lives() {
        return this == SPAWNED || this == RUNNING;
    }

    public boolean isOver() {
        return !lives() && this != UNKNOWN;
    }

    /** The value of {@code status} on the wire. */
    @Override
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
