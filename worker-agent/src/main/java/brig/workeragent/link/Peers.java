package brig.workeragent.link;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;
import org.jspecify.annotations.Nullable;

/**
 * The users who may use the Unix sockets of this worker-agent, as the kernel reports them: root, this process's own
 * user, and the gateway's user if that is another one.
 */
final class Peers {
    private static final Path STATUS = Path.of("/proc/self/status");

    private final UserPrincipal self;
    private final UserPrincipal gateway;

    private Peers(UserPrincipal self, UserPrincipal gateway) {
        this.self = self;
        this.gateway = gateway;
    }

    /**
     * @param gatewayUser name or uid of the gateway's user; null for our own
     * @throws BrigException if there is no such user
     */
    static Peers of(@Nullable String gatewayUser) throws IOException {
        UserPrincipal self = self();
        try {
            return new Peers(self, gatewayUser == null ? self : user(gatewayUser));
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INVALID_FIELD, "--gateway-user: there is no user '" + gatewayUser + "'");
        }
    }

    boolean isTrusted(SocketChannel channel) throws IOException {
        return isTrusted(channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user());
    }

    boolean isTrusted(int uid) throws IOException {
        return isTrusted(user(String.valueOf(uid)));
    }

    private boolean isTrusted(UserPrincipal peer) throws IOException {
        return peer.equals(self) || peer.equals(gateway) || peer.equals(user("0"));
    }

    /** Whether the gateway runs as another user. */
    boolean areOthers() {
        return !gateway.equals(self);
    }

    /** Makes the gateway's user the owner of a socket's file, closed to everybody else. */
    void admit(Path socket) throws IOException {
        Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-------"));
        if (areOthers()) {
            Files.setOwner(socket, gateway);
        }
    }

    /** The effective user of this process. */
    static UserPrincipal self() throws IOException {
        // Not the owner of /proc/self: that is root if the process may not be traced.
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("Uid:")) {
                return user(line.split("\\s+", -1)[2]);
            }
        }
        throw new IOException(STATUS + " names no uid");
    }

    /** Principals are equal if their numbers are; a number is also accepted as a name. */
    private static UserPrincipal user(String name) throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(name);
    }
}
