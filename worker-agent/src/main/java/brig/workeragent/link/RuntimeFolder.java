package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The folder of this worker-agent's socket: closed to others, and used by one worker-agent at a time. The kernel
 * releases the lock of a killed worker-agent, so the next one can take the folder over and remove what it finds. A
 * gateway of another user may traverse it to reach the socket, but cannot change it.
 *
 * <p>Decisions 0018, 0100.
 */
public final class RuntimeFolder implements AutoCloseable {
    private static final String LOCK = "lock";
    private static final Set<PosixFilePermission> OWN = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> PASSABLE = PosixFilePermissions.fromString("rwx--x--x");

    private final Path path;
    private final FileChannel lockFile;
    private final Peers peers;

    private RuntimeFolder(Path path, FileChannel lockFile, Peers peers) {
        this.path = path;
        this.lockFile = lockFile;
        this.peers = peers;
    }

    /**
     * Creates and locks {@code <runtimeDir>/w}.
     *
     * @param gatewayUser who else may use its sockets; null for nobody but us and root
     * @throws BrigException naming the obstacle
     */
    public static RuntimeFolder open(Path runtimeDir, @Nullable String gatewayUser) throws IOException {
        Peers peers = Peers.of(gatewayUser);
        Path path = runtimeDir.toAbsolutePath().normalize().resolve("w");
        Files.createDirectories(runtimeDir);
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
            Files.createDirectory(path, PosixFilePermissions.asFileAttribute(OWN));
        }
        UserPrincipal owner = Files.getOwner(path, LinkOption.NOFOLLOW_LINKS);
        if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS) || !owner.equals(Peers.self())) {
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    path + " must be a folder of the worker-agent's user, but" + " belongs to " + owner
                            + "; remove it or choose another runtimeDir");
        }
        Files.setPosixFilePermissions(path, OWN);
        FileChannel lockFile =
                FileChannel.open(path.resolve(LOCK), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
        // Whoever can read a file can lock it.
        Files.setPosixFilePermissions(path.resolve(LOCK), PosixFilePermissions.fromString("rw-------"));
        if (tryLock(lockFile) == null) {
            lockFile.close();
            throw new BrigException(
                    ErrorCode.FORBIDDEN,
                    "another worker-agent uses " + path + "; stop it, or give this one another runtimeDir");
        }
        RuntimeFolder folder = new RuntimeFolder(path, lockFile, peers);
        removeStale(runtimeDir.resolve("egress"), "{descriptors,granted}-*.sock");
        removeStale(runtimeDir.resolve("wall/descriptors"), "*");
        if (peers.areOthers()) {
            Files.setPosixFilePermissions(path, PASSABLE);
        }
        return folder;
    }

    private static @Nullable FileLock tryLock(FileChannel file) throws IOException {
        try {
            return file.tryLock();
        } catch (OverlappingFileLockException heldInThisProcess) {
            return null;
        }
    }

    /** Removes sockets of a worker-agent that was killed. */
    private static void removeStale(Path folder, String names) throws IOException {
        if (Files.isDirectory(folder)) {
            try (DirectoryStream<Path> sockets = Files.newDirectoryStream(folder, names)) {
                for (Path socket : sockets) {
                    Files.deleteIfExists(socket);
                }
            }
        }
    }

    Peers peers() {
        return peers;
    }

    Path linkSocket() {
        return path.resolve("link.sock");
    }

    @Override
    public void close() throws IOException {
        lockFile.close();
    }
}
