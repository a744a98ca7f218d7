package brig.workeragent.relay;

import brig.egress.link.WallSocket;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.control.EgressGrant;
import brig.protocol.io.WholeFile;
import brig.workeragent.wall.EgressGate;
import io.netty.channel.EventLoop;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;

/** Serves the sockets of one worker's walls over connections of the gateway. */
final class RelayGate implements EgressGate {
    private static final int NAME_DIGITS = 16;

    private final EgressGrant grant;
    private final Path folder;
    private final WaitingLinks links;
    private final EventLoop loop;

    /** @param folder for certificates */
    RelayGate(EgressGrant grant, Path folder, WaitingLinks links, EventLoop loop) {
        this.grant = grant;
        this.folder = folder;
        this.links = links;
        this.loop = loop;
    }

    /** One file for each authority, so that workers share it. */
    @Override
    public Path authority() {
        byte[] pem = grant.authority().getBytes(StandardCharsets.UTF_8);
        Path file = folder.resolve(name(pem));
        try {
            if (!Files.exists(file)) {
                Files.createDirectories(folder);
                // The users of walls can reach the certificate by its name.
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
                WholeFile.write(file, pem, "rw-r--r--");
            }
            return file;
        } catch (IOException e) {
            throw Reason.refusal(ErrorCode.SANDBOX_UNAVAILABLE, "the certificate of the network cannot be kept", e);
        }
    }

    private static String name(byte[] pem) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(pem);
            return HexFormat.of().formatHex(digest).substring(0, NAME_DIGITS) + ".pem";
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public Map<String, String> placeholders(Set<String> secrets) {
        Map<String, String> placeholders = new TreeMap<>(grant.placeholders());
        placeholders.keySet().retainAll(secrets);
        return placeholders;
    }

    @Override
    public Handle take(Registration taking) {
        RelayedWall wall = new RelayedWall(taking.spawnId(), links, loop);
        for (WallSocket socket : taking.network().take()) {
            wall.listen(socket);
        }
        return () -> {
            CompletableFuture<Void> ended = wall.end();
            return new End(ended, ended);
        };
    }
}
