package brig.protocol;

/** Limits fixed by the protocol. Limits that the operator configures are in {@code config/brig.json}. */
public final class Limits {
    /** Maximum length of a frame on any wire, in bytes, including its newline. Longer content is cut, never refused. */
    public static final int FRAME_BYTES_MAX = 64 * 1024;
    /** Highest sequence number: the largest integer that every JSON parser represents exactly. */
    public static final long SEQ_MAX = (1L << 53) - 1;
    /** Maximum length of a line or object from a captain or spawner client, in bytes, including its newline. */
    public static final int MESSAGE_BYTES_MAX = 1024 * 1024;
    /** How long text may wait for a reader that takes it merged, at most, in milliseconds. */
    public static final int LATENCY_MS_MAX = 1000;
    /** Maximum nesting depth of JSON input. */
    public static final int JSON_DEPTH_MAX = 32;

    private Limits() {}
}
