package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.SocketFile;
import io.netty.channel.Channel;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * The Unix sockets of the gateway: their files, and the users who may connect.
 *
 * <p>Decision 0025.
 */
public final class UnixSockets {
    /** In {@code st_mode}: the mask of the file type, and the type of a socket. */
    private static final int MODE_KIND = 0170000;

    private static final int MODE_SOCKET = 0140000;

    private final Set<Integer> allowedUids;

    public UnixSockets(Set<Integer> allowedUids) {
        this.allowedUids = allowedUids;
    }

    /** The path at which to bind a socket for {@code socket}. @throws BrigException if its place is taken */
    public Path prepare(Path socket) {
        try {
            return SocketFile.prepare(socket);
        } catch (IOException e) {
            throw cannotBind(socket, e);
        }
    }

    /**
     * Moves the bound socket to its place, open to its owner. If other users are allowed, it is open to all and the
     * peer's uid decides.
     */
    public void publish(Path bound, Path socket) {
        try {
            Files.setPosixFilePermissions(
                    bound, PosixFilePermissions.fromString(allowedUids.isEmpty() ? "rw-------" : "rw-rw-rw-"));
            SocketFile.publish(bound, socket);
        } catch (IOException e) {
            throw cannotBind(socket, e);
        }
    }

    private static BrigException cannotBind(Path socket, IOException e) {
        return new BrigException(ErrorCode.INTERNAL, "cannot bind " + socket + ": " + Reason.of(e));
    }

    /** Whether it is a socket of our own user without a listener. */
    static boolean isLeft(Path socket) throws IOException {
        try {
            int mode = (Integer) Files.getAttribute(socket, "unix:mode", LinkOption.NOFOLLOW_LINKS);
            int uid = (Integer) Files.getAttribute(socket, "unix:uid", LinkOption.NOFOLLOW_LINKS);
            return (mode & MODE_KIND) == MODE_SOCKET && uid == Paths.ownUid() && !SocketFile.isLive(socket);
        } catch (NoSuchFileException | NotDirectoryException e) {
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
