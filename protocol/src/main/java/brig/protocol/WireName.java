package brig.protocol;

/** An enum with wire names other than its constants in lower case. */
public interface WireName {
    /** The constant's name on the wire. */
    String wireName();
}
