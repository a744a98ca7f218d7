package brig.workeragent.wall;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * The host user that workers run as.
 *
 * <p>Decision 0010.
 *
 * @param switched whether it differs from the user of this process
 */
public record WorkersUser(int uid, boolean switched) {
    /** Makes the user the owner of one file. */
    public void give(Path path) throws IOException {
        if (switched) {
            Files.setAttribute(path, "unix:gid", uid, LinkOption.NOFOLLOW_LINKS);
            Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
        }
    }
}
