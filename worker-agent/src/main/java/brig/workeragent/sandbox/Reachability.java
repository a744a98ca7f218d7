package brig.workeragent.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.jspecify.annotations.Nullable;

/**
 * Whether a uid that owns nothing can walk to a folder; bwrap walks to what it binds as the worker's user.
 */
public final class Reachability {

    private Reachability() {}

    /** The topmost folder above the path that others may not pass; null if the way is open. */
    public static @Nullable Path firstClosedFolder(Path path) {
        Path absolute = path.toAbsolutePath().normalize();
        for (int names = 1; names < absolute.getNameCount(); names++) {
            Path folder = absolute.getRoot().resolve(absolute.subpath(0, names));
            try {
                if (!Files.getPosixFilePermissions(folder).contains(PosixFilePermission.OTHERS_EXECUTE)) {
                    return folder;
                }
            } catch (IOException unreadable) {
                return folder;
            }
        }
        return null;
    }
}
