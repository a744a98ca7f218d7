package brig.workeragent.wall;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/**
 * A user of the host whose files are worked on, and nobody else's.
 *
 * @param uid never root's
 * @param gid never root's
 */
public record HostUser(int uid, int gid) {
    public HostUser {
        if (uid < 1 || gid < 1) {
            throw new IllegalArgumentException("root's, or nobody's: " + uid + ":" + gid);
        }
    }

    /** Makes it the owner of one file. */
    public void give(Path path) throws IOException {
        Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    }
}
