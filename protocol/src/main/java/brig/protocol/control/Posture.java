package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one wall was found to enforce.
 *
 * @param limits how well resource limits hold: by cgroup2, cgroup1 or rlimits
 * @param notHeld what is bounded by nothing here, a sentence each: who else suffers from a worker that hoards it; null where
 *     there is no wall
 * @param properties in the order in which they were measured; what was not declared is not among them
 * @param toolWall in what Brig's own tools work on what the worker writes; null where that is not said
 */
@Extensible
public record Posture(
        String limits,
        @Nullable List<String> notHeld,
        List<Property> properties,
        @Nullable String toolWall) {
    /**
     * One declared property of the wall.
     *
     * @param name as in {@code posture.c}, in kebab case
     * @param status whether the measurement confirmed it; never {@code WARN}
     * @param detail what was seen
     */
    @Extensible
    public record Property(String name, FindingStatus status, String detail) {
        public boolean holds() {
            return status == FindingStatus.OK;
        }
    }

    /** The same, with where Brig's own tools work. */
    public Posture withToolWall(String where) {
        return new Posture(limits, notHeld, properties, where);
    }
}
