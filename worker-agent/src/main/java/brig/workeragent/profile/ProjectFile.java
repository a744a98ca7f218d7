package brig.workeragent.profile;

import brig.egress.policy.Narrowing;
import brig.project.MountTargets;
import brig.project.ProjectSettings;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.wall.Confinement;
import brig.workeragent.wall.PlainFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The settings of the project in a workspace, as they apply to a wall. They can only narrow, since agents can write them.
 *
 * <p>Decision 0047.
 *
 * @param narrowing of the network
 * @param readOnly whether it is read-only, for each path inside that it names; null leaves mounts unchanged
 * @param rootOverlay whether the root is to be writable for the session, where the policy allows it
 * @param notices the settings without effect, in words
 */
record ProjectFile(
        Narrowing narrowing, @Nullable Map<String, Boolean> readOnly, boolean rootOverlay, List<String> notices) {
    private static final int NOTICES_MAX = 8;

    /** The first that exists; null for none. @throws BrigException {@code INVALID_POLICY}, naming file and key */
    static @Nullable ProjectFile find(Path workspace) {
        for (String name : ProjectSettings.NAMES) {
            try {
                byte[] content = PlainFile.read(workspace, name, ProjectSettings.BYTES_MAX + 1);
                if (content != null) {
                    return read(name, content);
                }
            } catch (IOException | BrigException | IllegalArgumentException e) {
                throw new BrigException(
                        ErrorCode.INVALID_POLICY, "the project's " + name + " cannot be used: " + e.getMessage());
            }
        }
        return null;
    }

    private static ProjectFile read(String name, byte[] content) {
        ProjectSettings settings = ProjectSettings.read(content);
        List<String> notices = settings.effects().stream()
                .filter(effect -> !effect.isHonoured())
                .limit(NOTICES_MAX)
                .map(effect -> "the project's " + name + ": " + effect.key() + " " + effect.effect())
                .toList();
        return new ProjectFile(settings.narrowing(), settings.readOnly(), settings.rootOverlay(), notices);
    }

    /** The narrowed confinement. */
    Confinement narrow(Confinement may) {
        List<Confinement.Mount> mounts = new ArrayList<>();
        for (Confinement.Mount mount : may.mounts()) {
            Boolean asked = readOnly == null
                    ? Boolean.FALSE
                    : readOnly.get(mount.target().toString());
            if (asked != null) {
                mounts.add(new Confinement.Mount(mount.hostPath(), mount.target(), mount.readOnly() || asked));
            }
        }
        boolean workspaceReadOnly = may.workspaceReadOnly()
                || (readOnly != null && Objects.equals(readOnly.get(MountTargets.WORKSPACE), true));
        return new Confinement(
                workspaceReadOnly,
                mounts,
                may.variables(),
                may.privateFiles(),
                may.limits(),
                may.nested(),
                narrowing.of(may.egress()),
                may.wall());
    }
}
