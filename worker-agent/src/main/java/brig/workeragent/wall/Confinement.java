package brig.workeragent.wall;

import brig.egress.policy.EgressPolicy;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What one worker's wall lets in, beside what every wall has.
 *
 * @param workspaceReadOnly whether the agent may only read its workspace
 * @param mounts further folders and files of the host
 * @param variables names that may be in the agent's environment
 * @param privateFiles globs of files in the workspace that the agent does not get to see
 * @param limits the worker's own; the smaller of these and the host's count
 * @param nested whether the agent may make namespaces: a weaker wall
 * @param egress what of the outside it reaches
 */
public record Confinement(
        boolean workspaceReadOnly,
        List<Mount> mounts,
        Set<String> variables,
        List<String> privateFiles,
        WallSettings.Limits limits,
        boolean nested,
        EgressPolicy egress) {

    /** @param hostPath the path behind all links; {@code target} is where it appears */
    public record Mount(Path hostPath, Path target, boolean readOnly) {}

    /** With further mounts, in front of those that it has. */
    public Confinement with(List<Mount> first) {
        List<Mount> all = new ArrayList<>(first);
        all.addAll(mounts);
        return new Confinement(workspaceReadOnly, all, variables, privateFiles, limits, nested, egress);
    }

    /** With no other variables than these; null narrows nothing. */
    public Confinement narrowedTo(@Nullable List<String> names) {
        Set<String> left = new TreeSet<>(variables);
        if (names != null) {
            left.retainAll(names);
        }
        return new Confinement(workspaceReadOnly, mounts, left, privateFiles, limits, nested, egress);
    }
}
