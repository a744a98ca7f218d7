package brig.workeragent.sandbox;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;

/**
 * The mounts below a workspace that may show other content than the workspace itself. bubblewrap mounts by path, and a
 * worker in the same folder may replace the source by a link just before. So process 1 verifies the mounts, and needs
 * to know the intended ones.
 *
 * <p>Decision 0137.
 */
final class WorkspaceMounts {
    private static final Path INSIDE = Path.of(WallProfile.WORKSPACE);
    private static final int MOUNT_POINT = 4;

    private final Path blank;

    /** @param blank the file that hides private files */
    WorkspaceMounts(Path blank) {
        this.blank = blank;
    }

    /** Places inside, as mountinfo writes them: the profile's own mounts, and the host's below that folder. */
    List<String> declared(WallProfile profile) throws SandboxException {
        var places = new TreeSet<String>();
        for (WallProfile.Mount mount : profile.mounts()) {
            if (mount.target().startsWith(INSIDE) && !isPart(mount, profile.workspace())) {
                places.add(escaped(mount.target().toString()));
            }
        }
        String folder = escaped(profile.workspace().toString());
        for (String mountPoint : ofHost()) {
            if (mountPoint.startsWith(folder + "/")) {
                places.add(INSIDE + mountPoint.substring(folder.length()));
            }
        }
        return List.copyOf(places);
    }

    /** Whether it shows a part of the workspace in its own place, or hides it. */
    private boolean isPart(WallProfile.Mount mount, Path workspace) {
        return mount.source().equals(blank)
                || mount.source().equals(workspace.resolve(INSIDE.relativize(mount.target())));
    }

    private static List<String> ofHost() throws SandboxException {
        try {
            return new String(Files.readAllBytes(Path.of("/proc/self/mountinfo")), UTF_8)
                    .lines()
                    .map(line -> line.split(" ", MOUNT_POINT + 2)[MOUNT_POINT])
                    .toList();
        } catch (IOException unreadable) {
            throw new SandboxException(
                    Code.SANDBOX_UNAVAILABLE, "this kernel does not tell its mounts: " + unreadable.getMessage());
        }
    }

    /** Escaped as in mountinfo by the kernel, seq_path in fs/seq_file.c. */
    private static String escaped(String path) {
        return path.replace("\\", "\\134")
                .replace(" ", "\\040")
                .replace("\t", "\\011")
                .replace("\n", "\\012");
    }
}
