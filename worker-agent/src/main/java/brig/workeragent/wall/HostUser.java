package brig.workeragent.wall;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;

/** A user of the host whose files are processed, and no other's. */
public record HostUser(int uid, int gid) {
    public HostUser {
        if (uid < 1 || gid < 1) {
            throw new IllegalArgumentException("root's, or nobody's: " + uid + ":" + gid);
        }
    }

    /** Makes the user the owner of one file. */
    public void give(Path path) throws IOException {
        Files.setAttribute(path, "unix:gid", gid, LinkOption.NOFOLLOW_LINKS);
        Files.setAttribute(path, "unix:uid", uid, LinkOption.NOFOLLOW_LINKS);
    }
}
