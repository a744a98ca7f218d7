package brig.protocol;

/** Bounds that belong to the protocol itself. What an operator may choose stands in {@code config/brig.json}. */
public final class Limits {
    /** Longest frame on any wire, in bytes, its newline included. Content is cut to fit, never refused. */
    public static final int FRAME_BYTES_MAX = 64 * 1024;
    /** Highest sequence number: the highest whole number that every JSON reader holds exactly. */
    public static final long SEQ_MAX = (1L << 53) - 1;
    /** Longest line or object that a captain or a spawner client may send, in bytes, its newline included. */
    public static final int MESSAGE_BYTES_MAX = 1024 * 1024;
    /** Deepest nesting of JSON from outside. */
    public static final int JSON_DEPTH_MAX = 32;

    private Limits() {}
}
