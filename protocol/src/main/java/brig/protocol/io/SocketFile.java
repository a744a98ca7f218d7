package brig.protocol.io;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The file of a listening Unix socket, which nobody can open before it has its mode and owner: it is bound inside a
 * private folder, then renamed to its place. A stale file is replaced; one with a listener is refused. Not safe for
 * concurrent binding in one folder.
 */
public final class SocketFile {
    /** {@code sun_path} holds 108 bytes including the NUL. */
    private static final int PATH_BYTES_MAX = 107;

    private static final String PRIVATE_FOLDER = ".b";
    /** The number of names of four letters and digits. */
    private static final int NAMES = 36 * 36 * 36 * 36;

    private static final AtomicInteger BOUND = new AtomicInteger();

    private SocketFile() {}

    /** Whether the kernel can bind a socket there. */
    public static boolean fits(Path socket) {
        return length(socket) <= PATH_BYTES_MAX;
    }

    private static int length(Path socket) {
        return socket.toString().getBytes(StandardCharsets.UTF_8).length;
    }

    /** Whether a process listens on it. */
    public static boolean isLive(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException refused) {
            return false;
        }
    }

    /**
     * The path at which to bind the socket. Vert.x identifies servers by address, so it differs from the last ones. It
     * is short, because the kernel limits it too.
     *
     * @throws BrigException if the path is too long, or a process listens there
     */
    public static Path prepare(Path socket) throws IOException {
        if (!fits(socket)) {
            throw new BrigException(
                    ErrorCode.INVALID_FIELD,
                    "socket path " + socket + " has " + length(socket) + " bytes, " + PATH_BYTES_MAX
                            + " are possible; choose a shorter runtimeDir, agentsDir or task_id");
        }
        Path folder = Objects.requireNonNull(socket.toAbsolutePath().getParent(), "a socket lies in a folder");
        // Other users may reach a socket whose path they know; a session's folder is named by its task_id.
        Files.createDirectories(folder, mode("rwx--x--x"));
        if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
            if (isLive(socket)) {
                throw new BrigException(
                        ErrorCode.INTERNAL,
                        "another process listens on " + socket
                                + "; stop it, or choose another path in the configuration");
            }
            Files.delete(socket);
        }
        int name = Math.floorMod(BOUND.incrementAndGet(), NAMES);
        return emptyPrivate(folder.resolve(PRIVATE_FOLDER)).resolve(Integer.toString(name, Character.MAX_RADIX));
    }

    private static Path emptyPrivate(Path folder) throws IOException {
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            try (DirectoryStream<Path> left = Files.newDirectoryStream(folder)) {
                for (Path file : left) {
                    Files.delete(file);
                }
            }
            Files.delete(folder);
        }
        return Files.createDirectory(folder, mode("rwx------"));
    }

    private static FileAttribute<Set<PosixFilePermission>> mode(String mode) {
        return PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString(mode));
    }

    /** Moves the bound socket, which has its mode and owner, to its place. */
    public static void publish(Path bound, Path socket) throws IOException {
        Files.move(bound, socket, StandardCopyOption.ATOMIC_MOVE);
        Files.delete(bound.getParent());
    }
}
