package brig.protocol.io;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * A file that is whole at any time, for it is written beside its place and then renamed: readers see the earlier content or
 * the new one. Nobody but its owner can read it before it should be read. Two writers at once are not for it.
 */
public final class WholeFile {
    /** The mode of a file that its owner alone can read. */
    public static final String PRIVATE = "rw-------";

    /** No folder of configuration takes files that end with it for its own. */
    private static final String UNFINISHED = ".new";

    /** Fills a file that is there, empty, its owner's alone, and that may get another owner and mode. */
    public interface Filling {
        void fill(Path fresh) throws IOException;
    }

    private WholeFile() {}

    /** Writes one that its owner alone can read. */
    public static void write(Path file, byte[] content) throws IOException {
        write(file, content, PRIVATE);
    }

    /** @param mode such as {@code rw-r--r--} */
    public static void write(Path file, byte[] content, String mode) throws IOException {
        write(file, fresh -> {
            Files.write(fresh, content);
            Files.setPosixFilePermissions(fresh, PosixFilePermissions.fromString(mode));
        });
    }

    public static void write(Path file, Filling filling) throws IOException {
        write(file, file.resolveSibling("." + file.getFileName() + UNFINISHED), filling);
    }

    /** @param fresh where it is written, on the same file system */
    public static void write(Path file, Path fresh, Filling filling) throws IOException {
        FileAttribute<Set<PosixFilePermission>> ownersAlone =
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(PRIVATE));
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, ownersAlone);
        try {
            filling.fill(fresh);
            Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(fresh);
        }
    }
}
