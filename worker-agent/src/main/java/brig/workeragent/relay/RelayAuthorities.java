package brig.workeragent.relay;

import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;

/** Certificates of homes, as files that walls can read: one for each, which workers share. Thread-safe. */
final class RelayAuthorities {
    private static final int NAME_DIGITS = 16;

    private final Path folder;
    private final Lock writing = new ReentrantLock();

    RelayAuthorities(Path folder) {
        this.folder = folder;
    }

    Path fileOf(String authority) {
        byte[] pem = authority.getBytes(StandardCharsets.UTF_8);
        Path file = folder.resolve(name(pem));
        writing.lock();
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
        } finally {
            writing.unlock();
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
}
