package brig.protocol;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;

/** A file that its owner alone can read. */
public final class PrivateFile {
    private PrivateFile() {}

    /** Writes it whole or not at all; readers see the earlier content or the new one. Two writers at once are not for it. */
    public static void write(Path file, byte[] content) throws IOException {
        Path fresh = file.resolveSibling("." + file.getFileName());
        Files.deleteIfExists(fresh);
        Files.createFile(fresh, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.write(fresh, content);
        Files.move(fresh, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }
}
