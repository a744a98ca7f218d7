package brig.protocol.control;

import brig.protocol.record.Extensible;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.WallKind;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one wall enforces, as measured.
 *
 * @param limits how resource limits are enforced: by cgroup2, cgroup1 or rlimits
 * @param notHeld a sentence for each resource without a limit here, naming who else suffers from its exhaustion; null
 *     without a wall
 * @param properties in the order of measurement; undeclared properties are left out
 * @param toolWall the wall in which Brig's own tools process what the worker writes; null if not reported
 * @param wall its kind; null without one
 * @param root the image that its programs and libraries are of; null for the host's
 */
@Extensible
public record Posture(
        String limits,
        @Nullable List<String> notHeld,
        List<Property> properties,
        @Nullable String toolWall,
        @Nullable WallKind wall,
        @Nullable Root root) {
    /**
     * An image of its host.
     *
     * @param image its name when the wall was made
     * @param digest what it is, whatever has that name by now
     * @param overlay what becomes of what is written there; null for a read-only root
     */
    @Extensible
    public record Root(
            String image, String digest, @Nullable RootOverlay overlay) {}

    /**
     * One declared property of the wall.
     *
     * @param name as in {@code posture.c}, in kebab case
     * @param status whether the measurement confirmed it; never {@code WARN}
     * @param detail the observation
     */
    @Extensible
    public record Property(String name, FindingStatus status, String detail) {
        public boolean holds() {
            return status == FindingStatus.OK;
        }
    }

    /** Without a kind of wall. */
    public Posture(
            String limits, @Nullable List<String> notHeld, List<Property> properties, @Nullable String toolWall) {
        this(limits, notHeld, properties, toolWall, null, null);
    }

    /** A copy with the wall of Brig's own tools. */
    public Posture withToolWall(String where) {
        return new Posture(limits, notHeld, properties, where, wall, root);
    }

    /** A copy with that root; null for the host's. */
    public Posture withRoot(@Nullable Root of) {
        return new Posture(limits, notHeld, properties, toolWall, wall, of);
    }

    /** A copy with other sentences about what has no limit. */
    public Posture withNotHeld(List<String> other) {
        return new Posture(limits, other, properties, toolWall, wall, root);
    }
}
