package brig.gateway.stream;

import java.util.Locale;

/** Why frames cannot be delivered. */
public enum GapReason {
    /** They were deleted to keep {@code limits.logBytesPerStream}. */
    EVICTED,
    /** They could not be written to disk, or were deleted by others, and are no longer in memory. */
    RECORD_LOST,
    /** They are on disk, but their checksum does not match. */
    RECORD_DAMAGED;

    /** The value of {@code reason} on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
