package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the doctor looked at. */
@Extensible
public record DoctorAnswer(List<Finding> findings) {
    /**
     * One thing.
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
}
