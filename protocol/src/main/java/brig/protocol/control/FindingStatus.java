package brig.protocol.control;

import brig.protocol.WireName;

/** How good is what was looked at; on the wire in capitals. */
public enum FindingStatus implements WireName {
    OK,
    /** Walls stand, but something is weaker than it could be. */
    WARN,
    /** No wall stands, or a wall does not hold. */
    FAIL,
    /** There is no wall, and none was asked for. */
    NONE;

    /** {@code FAIL} for what does not hold. */
    public static FindingStatus of(boolean holds) {
        return holds ? OK : FAIL;
    }

    @Override
    public String wireName() {
        return name();
    }
}
