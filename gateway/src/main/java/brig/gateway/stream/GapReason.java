package brig.gateway.stream;

import java.util.Locale;

/** Why frames cannot be delivered. */
public enum GapReason {
    /** They were deleted to keep within {@code limits.logBytesPerStream}. */
    EVICTED,
    /** They could not be written to disk, and are no longer in memory. */
    RECORD_LOST;

    /** The value of {@code reason} on the wire. */
    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }
}
