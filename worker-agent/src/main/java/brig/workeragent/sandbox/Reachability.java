package brig.workeragent.sandbox;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import org.jspecify.annotations.Nullable;

/** Tests whether a uid that owns nothing can traverse to a folder; bwrap resolves bind sources as the worker's user. */
public final class Reachability {

    private Reachability() {}

    /** The topmost folder above the path that others cannot traverse; null if there is none. */
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
