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
 * Unix sockets that nobody can open before they are ready: bound inside a folder that is ours alone, given their mode,
 * and only then renamed to their place. A socket file that nobody answers on is removed, one that somebody does is refused.
 *
 * <p>Decision 0025.
 */
public final class UnixSockets {
    /** As many as there are of four letters and digits. */
    private static final int NAMES = 36 * 36 * 36 * 36;

    /** Of {@code st_mode}: what kind of file it is, and that of a socket. */
    private static final int MODE_KIND = 0170000;

    private static final int MODE_SOCKET = 0140000;

    private final Set<Integer> allowedUids;
    /** Owned by the event loop. */
    private int names;

    public UnixSockets(Set<Integer> allowedUids) {
        this.allowedUids = allowedUids;
    }

    /** Where to bind a socket that will be at {@code socket}; checks that the place is free. @throws BrigException where it is not */
    public Path prepare(Path socket) {
        Paths.checkSocketPath(socket);
        try {
            Path folder = Objects.requireNonNull(socket.toAbsolutePath().getParent(), "a socket lies in a folder");
            // Others may reach a socket whose name they were told; that of a session's folder is its task_id.
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
     * A name that no open server was bound by: Vert.x takes servers of one address for one server. It is as short as can
     * be, because the kernel bounds the whole path.
     */
    private String nextName() {
        names = (names + 1) % NAMES;
        return Integer.toString(names, Character.MAX_RADIX);
    }

    /**
     * Puts the bound socket in its place, open to its owner. Where other users are allowed it is open to all, and the
     * kernel's word for the uid decides.
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

    /** Whether that is a socket of our own user that nobody listens on. */
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

    /** The uid of the process at the other end, by the kernel's word. @throws BrigException {@code FORBIDDEN} unless it is allowed */
    public int requireAllowedPeer(Channel channel) {
        int uid = peer(channel);
        if (!isAllowed(uid)) {
            throw new BrigException(ErrorCode.FORBIDDEN, "uid " + uid + " is not in allowedUids");
        }
        return uid;
    }

    /** The uid of the process at the other end, by the kernel's word, whoever that is. */
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

    /** What a user may do who may come in. */
    public Access accessOf(int uid) {
        return Access.ofPeer(uid, isAdmin(uid));
    }

    private static boolean isAdmin(int uid) {
        return uid == 0 || uid == Paths.ownUid();
    }

    /** What a peer of that uid is called. */
    static String nameOf(int uid) {
        return "uid:" + uid;
    }
}
