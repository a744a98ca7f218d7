package brig.protocol.control;

import brig.protocol.record.Extensible;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one wall was found to enforce.
 *
 * @param limits how well resource limits hold: {@code cgroup2}, {@code cgroup1} or {@code rlimits}
 * @param notHeld what is bounded by nothing here, a sentence each: who else suffers from a worker that hoards it
 * @param properties in the order in which they were measured; what was not declared is not among them
 * @param toolWall in what Brig's own tools work on what the worker writes; null where that is not said
 */
@Extensible
public record Posture(
        String limits,
        List<String> notHeld,
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
    public record Property(String name, FindingStatus status, String detail) {}

    /** The same, with where Brig's own tools work. */
    public Posture withToolWall(String where) {
        return new Posture(limits, notHeld, properties, where);
    }
}
