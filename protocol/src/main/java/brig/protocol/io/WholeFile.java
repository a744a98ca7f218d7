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
 * Atomic replacement of a file: the content is written to a new file, which is then renamed. Readers see the old or the
 * new content. The new file is readable by its owner alone until its final mode is set. Not safe for concurrent
 * writers.
 */
public final class WholeFile {
    /** The mode of a file that only its owner can read. */
    public static final String PRIVATE = "rw-------";

    /** The suffix of unfinished files; folders of configuration ignore files with it. */
    private static final String UNFINISHED = ".new";

    /** Fills a new, empty file that only its owner can access; may change its owner and mode. */
    public interface Filling {
        void fill(Path fresh) throws IOException;
    }

    private WholeFile() {}

    /** Writes a file that only its owner can read. */
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

    /** @param fresh the temporary file, on the same file system */
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
