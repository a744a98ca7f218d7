package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * One thing that the doctor looked at.
 *
 * @param detail what was seen
 * @param mend what to do about it; null if nothing, or nothing is known
 */
@Extensible
public record Finding(
        String name,
        FindingStatus status,
        String detail,
        @Nullable String mend) {}
