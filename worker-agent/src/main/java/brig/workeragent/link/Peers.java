package brig.workeragent.link;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import jdk.net.ExtendedSocketOptions;

/** Who is at the other end of a Unix socket, as the kernel says. */
final class Peers {
    private static final Path STATUS = Path.of("/proc/self/status");

    private Peers() {}

    /** Whether the peer is this process's own user or root. */
    static boolean isTrusted(SocketChannel channel) throws IOException {
        UserPrincipal peer = channel.getOption(ExtendedSocketOptions.SO_PEERCRED).user();
        return peer.equals(self()) || peer.equals(user("0"));
    }

    static boolean isTrusted(int uid) throws IOException {
        return uid == 0 || user(String.valueOf(uid)).equals(self());
    }

    /** The user that this process acts as. */
    static UserPrincipal self() throws IOException {
        // Not the owner of /proc/self: that is root where the process may not be traced.
        for (String line : Files.readAllLines(STATUS)) {
            if (line.startsWith("Uid:")) {
                return user(line.split("\\s+", -1)[2]);
            }
        }
        throw new IOException(STATUS + " names no uid");
    }

    /** Principals are equal where their numbers are; a number is also a name here. */
    private static UserPrincipal user(String uid) throws IOException {
        return FileSystems.getDefault().getUserPrincipalLookupService().lookupPrincipalByName(uid);
    }
}
