package brig.protocol.control;

import brig.protocol.record.Extensible;
import org.jspecify.annotations.Nullable;

/**
 * One check of the doctor.
 *
 * @param detail the observation
 * @param mend the remedy; null if none is needed or known
 */
@Extensible
public record Finding(
        String name,
        FindingStatus status,
        String detail,
        @Nullable String mend) {}
