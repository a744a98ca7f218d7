package brig.workeragent.wall;

import static java.nio.charset.StandardCharsets.UTF_8;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.workeragent.sandbox.WallProfile;
import brig.workeragent.sandbox.WorkerIdentity;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;

/**
 * A message on its way into a wall: a file that only the workers' user can read. Closing removes it.
 *
 * <p>Decision 0117.
 */
public record MessageFile(Path path) implements AutoCloseable {
    private static final String FOLDER = "messages";

    /** Removes messages of a predecessor that died; one worker-agent at a time uses this folder. */
    public static void sweep(Path runtimeFolder) throws IOException {
        Path folder = Files.createDirectories(runtimeFolder.resolve(FOLDER));
        try (DirectoryStream<Path> left = Files.newDirectoryStream(folder)) {
            for (Path file : left) {
                Files.deleteIfExists(file);
            }
        }
    }

    public static MessageFile write(Path runtimeFolder, String message, WorkerIdentity identity) throws IOException {
        if (message.indexOf('\0') >= 0) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "a message to this agent must not have a NUL character");
        }
        Path folder = Files.createDirectories(runtimeFolder.resolve(FOLDER));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        MessageFile file = new MessageFile(Files.createTempFile(
                folder, "", "", PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))));
        try {
            Files.write(file.path, message.getBytes(UTF_8));
            if (identity.switched()) {
                Files.setAttribute(file.path, "unix:uid", identity.uid());
            }
            return file;
        } catch (IOException e) {
            file.close();
            throw e;
        }
    }

    public WallProfile.Mount mount() {
        return new WallProfile.Mount(path, Path.of(Wall.MESSAGE_FILE), true);
    }

    @Override
    public void close() throws IOException {
        Files.deleteIfExists(path);
    }
}
