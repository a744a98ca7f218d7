package brig.protocol.control;

import brig.protocol.WireName;

/** The result of a check; upper case on the wire. */
public enum FindingStatus implements WireName {
    OK,
    /** The wall works, but a part of it is weaker than it could be. */
    WARN,
    /** No wall can be built, or one does not hold. */
    FAIL,
    /** There is no wall, and none was requested. */
    NONE;

    /** {@code OK} or {@code FAIL}. */
    public static FindingStatus of(boolean holds) {
        return holds ? OK : FAIL;
    }

    @Override
    public String wireName() {
        return name();
    }
}
