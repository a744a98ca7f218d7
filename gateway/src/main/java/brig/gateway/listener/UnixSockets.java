package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import java.util.Set;

/**
 * Creates Unix sockets that cannot be opened before they are ready: bound inside a private folder, given their mode,
 * then renamed to their place. A stale socket file is replaced; one with a listener is refused.
 *
 * <p>Decision 0025.
 */
public final class UnixSockets {
    /** The number of names of four letters and digits. */
    private static final int NAMES = 36 * 36 * 36 * 36;

    /** In {@code st_mode}: the mask of the file type, and the type of a socket. */
    private static final int MODE_KIND = 0170000;

    private static final int MODE_SOCKET = 0140000;

    private final Set<Integer> allowedUids;
    /** Owned by the event loop. */
    private int names;

    public UnixSockets(Set<Integer> allowedUids) {
        this.allowedUids = allowedUids;
    }

    /** The path at which to bind a socket for {@code socket}. @throws BrigException if its place is taken */
    public Path prepare(Path socket) {
        Paths.checkSocketPath(socket);
        try {
            Path folder = Objects.requireNonNull(socket.toAbsolutePath().getParent(), "a socket lies in a folder");
            // Other users may reach a socket whose path they know; a session's folder is named by its task_id.
            Files.createDirectories(
                    folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx--x--x")));
            if (Files.exists(socket, LinkOption.NOFOLLOW_LINKS)) {
                if (isLive(socket)) {
                    throw new BrigException(
                            ErrorCode.INTERNAL,
                            "another process listens on " + socket
                                    + "; stop it, or choose another path in the configuration");
                }
                Files.delete(socket);
            }
            return emptyPrivate(folder.resolve(".b")).resolve(nextName());
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot bind " + socket + ": " + Reason.of(e));
        }
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
        return Files.createDirectory(
                folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    }

    /**
     * A name that no open server is bound to, as Vert.x identifies servers by address. Short, because the kernel limits
     * the path.
     */
    private String nextName() {
        names = (names + 1) % NAMES;
        return Integer.toString(names, Character.MAX_RADIX);
    }

    /**
     * Moves the bound socket to its place, open to its owner. If other users are allowed, it is open to all and the
     * peer's uid decides.
     */
    public void publish(Path bound, Path socket) {
        try {
            Files.setPosixFilePermissions(
                    bound, PosixFilePermissions.fromString(allowedUids.isEmpty() ? "rw-------" : "rw-rw-rw-"));
            Files.move(bound, socket, StandardCopyOption.ATOMIC_MOVE);
            Files.delete(bound.getParent());
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot bind " + socket + ": " + Reason.of(e));
        }
    }

    /** Whether it is a socket of our own user without a listener. */
    static boolean isLeft(Path socket) throws IOException {
        try {
            int mode = (Integer) Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            int uid = (Integer) Files.getAttribute(socket, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            return (mode & MODE_KIND) == MODE_SOCKET && uid == Paths.ownUid() && !isLive(socket);
        } catch (NoSuchFileException | NotDirectoryException e) {
            return false;
        }
    }

    private static boolean isLive(Path socket) {
        try (SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX)) {
            return channel.connect(UnixDomainSocketAddress.of(socket));
        } catch (IOException refused) {
            return false;
        }
    }

    /** The uid of the peer, as the kernel reports it. @throws BrigException {@code FORBIDDEN} unless it is allowed */
    public int requireAllowedPeer(Channel channel) {
        int uid = peer(channel);
        if (!isAllowed(uid)) {
            throw new BrigException(ErrorCode.FORBIDDEN, "uid " + uid + " is not in allowedUids");
        }
        return uid;
    }

    /** The uid of the peer, as the kernel reports it, allowed or not. */
    static int peer(Channel channel) {
        try {
            return ((EpollDomainSocketChannel) channel).peerCredentials().uid();
        } catch (IOException e) {
            throw new BrigException(ErrorCode.FORBIDDEN, "the kernel does not say who connects: " + Reason.of(e));
        }
    }

    boolean isAllowed(int uid) {
        return isAdmin(uid) || allowedUids.contains(uid);
    }

    /** The access of an admitted user. */
    public Access accessOf(int uid) {
        return Access.ofPeer(uid, isAdmin(uid));
    }

    private static boolean isAdmin(int uid) {
        return uid == 0 || uid == Paths.ownUid();
    }

    /** The name of a peer with that uid. */
    static String nameOf(int uid) {
        return "uid:" + uid;
    }
}
