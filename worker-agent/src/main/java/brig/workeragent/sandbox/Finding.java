package brig.workeragent.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * One thing that the doctor looked at.
 *
 * @param detail what was seen
 * @param mend   what to do about it; null if nothing, or nothing is known
 */
public record Finding(
        String name, Status status, String detail, @Nullable String mend) {

    /** WARN: walls stand, but something is weaker than it could be. FAIL: no wall stands. */
    public enum Status {
        OK,
        WARN,
        FAIL
    }
}
