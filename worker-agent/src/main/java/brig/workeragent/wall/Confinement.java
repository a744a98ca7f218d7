package brig.workeragent.wall;

import brig.egress.policy.EgressPolicy;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.spawn.WallDemand;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The permissions of one worker's wall beyond those of every wall.
 *
 * @param workspaceReadOnly whether the agent may only read its workspace
 * @param mounts further folders and files of the host
 * @param variables names of variables that the agent may get
 * @param privateFiles globs of workspace files that are hidden from the agent
 * @param limits the worker's own; the smaller of these and the host's apply
 * @param nested whether the agent may create namespaces: a weaker wall
 * @param egress its network access
 * @param wall its kind; null for the usual one
 */
public record Confinement(
        boolean workspaceReadOnly,
        List<Mount> mounts,
        Set<String> variables,
        List<String> privateFiles,
        WallSettings.Limits limits,
        boolean nested,
        EgressPolicy egress,
        @Nullable WallDemand wall) {

    /** @param hostPath the real path; {@code target} is the path inside */
    public record Mount(Path hostPath, Path target, boolean readOnly) {}

    /** A copy with further mounts before the existing ones. */
    public Confinement with(List<Mount> first) {
        List<Mount> all = new ArrayList<>(first);
        all.addAll(mounts);
        return new Confinement(workspaceReadOnly, all, variables, privateFiles, limits, nested, egress, wall);
    }

    /** A copy with another network access, and its variables. */
    public Confinement with(EgressPolicy other) {
        Set<String> all = new TreeSet<>(variables);
        all.addAll(EgressVariables.names(other));
        return new Confinement(workspaceReadOnly, mounts, all, privateFiles, limits, nested, other, wall);
    }

    /** The usual wall. */
    public Confinement(
            boolean workspaceReadOnly,
            List<Mount> mounts,
            Set<String> variables,
            List<String> privateFiles,
            WallSettings.Limits limits,
            boolean nested,
            EgressPolicy egress) {
        this(workspaceReadOnly, mounts, variables, privateFiles, limits, nested, egress, null);
    }

    /**
     * A copy behind a wall that meets these demands too; null or empty for none.
     *
     * @throws BrigException {@code FORBIDDEN} if no wall meets all of them
     */
    public Confinement behind(String ofProfile, @Nullable String ofRequest) {
        WallDemand all = wall;
        try {
            for (String demand : List.of(ofProfile, ofRequest == null ? "" : ofRequest)) {
                all = demand.isEmpty() ? all : WallDemand.parse(demand).and(all);
            }
        } catch (IllegalArgumentException e) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN, "no wall is all that request, agent and policy want: " + e.getMessage());
        }
        return new Confinement(workspaceReadOnly, mounts, variables, privateFiles, limits, nested, egress, all);
    }

    /** A copy with these variables too. */
    public Confinement letting(Set<String> names) {
        Set<String> all = new TreeSet<>(variables);
        all.addAll(names);
        return new Confinement(workspaceReadOnly, mounts, all, privateFiles, limits, nested, egress, wall);
    }

    /** A copy with no variables beyond these; null changes nothing. */
    public Confinement narrowedTo(@Nullable List<String> names) {
        Set<String> left = new TreeSet<>(variables);
        if (names != null) {
            left.retainAll(names);
        }
        return new Confinement(workspaceReadOnly, mounts, left, privateFiles, limits, nested, egress, wall);
    }
}
