package brig.workeragent.profile;

import brig.egress.policy.EgressPolicy;
import brig.project.MountTargets;
import brig.protocol.record.Default;
import brig.protocol.record.Range;
import brig.protocol.record.Settings;
import brig.protocol.spawn.Budget;
import brig.protocol.spawn.RootName;
import brig.protocol.spawn.RootOverlay;
import brig.protocol.spawn.SpawnRequest;
import brig.protocol.spawn.WallDemand;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PrivateFiles;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The content of a file in {@code config/policies}; its components are the keys, which comments in the file explain.
 * Bytes and milliseconds; 0 leaves a limit to the section {@code worker} of {@code brig.json}.
 *
 * <p>Decision 0012.
 *
 * @param mounts host paths by their path in the wall
 * @param environment names of the variables that reach the agent
 * @param privateFiles globs of workspace files that are hidden from the agent
 * @param projectFile {@code narrow} or {@code ignore}: the effect of a {@link ProjectFile} in the workspace
 * @param egress the agent's network access; none if absent
 * @param budget what each session may use up at most
 * @param wall the kind of wall: {@code bwrap}, {@code gvisor}, {@code vm}, or {@code min:} before it for that or a stronger one; empty for any
 * @param root the only root that a wall may have, as in {@link RootName}; empty for any
 * @param rootOverlay the most that may become of what a session writes into its root
 */
@Settings
public record Policy(
        String description,
        Map<String, Mount> mounts,
        List<String> environment,
        List<String> privateFiles,
        @Default @Range(min = MIB, max = TIB, orZero = true) long tmpBytesMax,
        @Default @Range(min = MIB, max = TIB, orZero = true) long homeBytesMax,
        @Default @Range(min = MIB, max = TIB, orZero = true) long diskBytesMax,

        @Default @Range(min = 16 * MIB, max = TIB, orZero = true)
        long memoryBytesMax,

        @Default @Range(min = 1, max = 100_000, orZero = true)
        int cpuPercentMax,

        @Default @Range(min = 4, max = 4_000_000, orZero = true)
        int pidsMax,

        @Default @Range(min = MIB, max = TIB, orZero = true) long fileBytesMax,

        @Default @Range(min = 16, max = 1_000_000, orZero = true)
        int openFilesMax,

        @Default @Range(min = 100, max = YEAR_MS, orZero = true)
        long wallClockMs,

        @Default @Range(min = 1000, max = YEAR_MS, orZero = true)
        long idleMs,

        @Default boolean nested,
        @Default("narrow") String projectFile,
        @Default EgressPolicy egress,
        @Default Budget budget,
        @Default String wall,
        @Default String root,
        @Default("none") RootOverlay rootOverlay) {

    /** The mount that every policy has. */
    static final String WORKSPACE = MountTargets.WORKSPACE;
    /** As a hostPath: the workspace of the spawn. */
    static final String SPAWNS_OWN = ".";

    /** @param hostPath absolute, or {@code .} for the spawn's workspace */
    public record Mount(String hostPath, boolean readonly) {}

    static final String IGNORE = "ignore";

    private static final List<String> PROJECT_FILES = List.of("narrow", IGNORE);
    static final long MIB = 1024 * 1024;
    static final long TIB = MIB * MIB;
    static final long YEAR_MS = 365L * 86_400_000;
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    public Policy {
        if (!mounts.containsKey(WORKSPACE)) {
            throw new IllegalArgumentException("mounts: must have " + WORKSPACE);
        }
        mounts.forEach(Policy::checkMount);
        for (String name : environment) {
            if (!VARIABLE.matcher(name).matches()) {
                throw new IllegalArgumentException("environment: '" + name + "' is not a variable name");
            }
        }
        for (String pattern : privateFiles) {
            requireGlob(pattern);
        }
        requireWall(wall);
        requireRoot(root);
        if (!PROJECT_FILES.contains(projectFile)) {
            throw new IllegalArgumentException("projectFile: must be one of " + PROJECT_FILES);
        }
    }

    /** @throws IllegalArgumentException naming the key */
    static void requireWall(String wall) {
        try {
            if (!wall.isEmpty()) {
                WallDemand.parse(wall);
            }
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("wall: " + e.getMessage(), e);
        }
    }

    /** @throws IllegalArgumentException naming the key */
    static void requireRoot(String root) {
        if (!root.isEmpty() && !RootName.isRoot(root)) {
            throw new IllegalArgumentException("root: must be " + RootName.FORMS);
        }
    }

    /** This policy with another network. */
    public Policy with(EgressPolicy other) {
        return new Policy(
                description,
                mounts,
                environment,
                privateFiles,
                tmpBytesMax,
                homeBytesMax,
                diskBytesMax,
                memoryBytesMax,
                cpuPercentMax,
                pidsMax,
                fileBytesMax,
                openFilesMax,
                wallClockMs,
                idleMs,
                nested,
                projectFile,
                other,
                budget,
                wall,
                root,
                rootOverlay);
    }

    boolean workspaceReadOnly() {
        return Objects.requireNonNull(mounts.get(WORKSPACE)).readonly();
    }

    /**
     * The effect of a project's file.
     *
     * @param narrowing narrows a confinement
     * @param notices the settings without effect, in words
     */
    public record Project(UnaryOperator<Confinement> narrowing, RootOverlay overlay, List<String> notices) {}

    /**
     * The current file of the project in that folder.
     *
     * @param request within this policy
     * @throws brig.protocol.BrigException {@code INVALID_POLICY}
     */
    public Project projectIn(Path workspace, SpawnRequest request) {
        ProjectFile project = projectFile.equals(IGNORE) ? null : ProjectFile.find(workspace);
        RootOverlay asked = request.place().rootOverlay();
        RootOverlay overlay = asked == null ? RootOverlay.NONE : asked;
        if (project == null) {
            return new Project(UnaryOperator.identity(), overlay, List.of());
        }
        if (asked != null || !project.rootOverlay()) {
            return new Project(project::narrow, overlay, project.notices());
        }
        String root = request.place().root();
        String missing = rootOverlay == RootOverlay.NONE
                ? "the policy has no rootOverlay"
                : root == null || RootName.parse("root", root).image() == null
                        ? "the session's root is the host's, not an image"
                        : null;
        if (missing == null) {
            return new Project(project::narrow, RootOverlay.DISCARD, project.notices());
        }
        return new Project(
                project::narrow,
                overlay,
                Stream.concat(
                                project.notices().stream(),
                                Stream.of("the project's rootOverlay has no effect: " + missing))
                        .toList());
    }

    /** The idle timeout, limited by that of brig.json. */
    public long idleMsWithin(long allowedMs) {
        return idleMs == 0 ? allowedMs : Math.min(idleMs, allowedMs);
    }

    private static void checkMount(String target, Mount mount) {
        String key = "mounts." + target;
        requirePlain(key, target);
        boolean own = target.equals(WORKSPACE);
        if (own != mount.hostPath().equals(SPAWNS_OWN)) {
            throw new IllegalArgumentException(
                    key + ".hostPath: '" + SPAWNS_OWN + "' goes with " + WORKSPACE + ", and with nothing else");
        }
        if (own) {
            return;
        }
        requirePlain(key + ".hostPath", mount.hostPath());
        String reserved = MountTargets.reserved(Path.of(target));
        if (reserved != null) {
            throw new IllegalArgumentException(key + ": would reach into the wall's own " + reserved);
        }
    }

    private static void requirePlain(String key, String path) {
        if (!MountTargets.isPlain(path)) {
            throw new IllegalArgumentException(
                    key + ": '" + path.replace('\0', '?') + "' must be an absolute path without . and .., not /");
        }
    }

    private static void requireGlob(String pattern) {
        try {
            var _ = new PrivateFiles(List.of(pattern));
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("privateFiles: " + e.getMessage());
        }
    }
}
