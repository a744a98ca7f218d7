package brig.protocol;

/** An enum whose constants are called otherwise on the wire than in lower case. */
public interface WireName {
    /** The constant's name on the wire. */
    String wireName();
}
