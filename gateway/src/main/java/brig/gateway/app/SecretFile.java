package brig.gateway.app;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Reason;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/** A secret of this gateway, generated at the first start and stored in a file that only its owner can read. */
public final class SecretFile {
    private SecretFile() {}

    /** Reads or creates the file. @throws BrigException if others can read it, with the remedy */
    public static String load(Path file, String what) {
        try {
            if (!Files.exists(file)) {
                create(file, Ids.newToken());
            }
            return read(file, ", or delete it to get a new token");
        } catch (IOException e) {
            throw unreadable(file, "cannot read or make the " + what, e);
        }
    }

    /** Reads a secret that somebody else made. @throws BrigException as {@link #load}, or if there is none */
    public static String require(Path file, String what) {
        try {
            String secret = read(file, "");
            if (secret.isEmpty()) {
                throw new BrigException(ErrorCode.INTERNAL, "there is no " + what + " in " + file);
            }
            return secret;
        } catch (IOException e) {
            throw unreadable(file, "cannot read the " + what, e);
        }
    }

    private static BrigException unreadable(Path file, String what, IOException e) {
        return new BrigException(ErrorCode.INTERNAL, what + " " + file + ": " + Reason.of(e));
    }

    private static String read(Path file, String otherwise) throws IOException {
        if (!PosixFilePermissions.toString(Files.getPosixFilePermissions(file)).endsWith("------")) {
            throw new BrigException(ErrorCode.INTERNAL, "others may read " + file + ": chmod 600 " + file + otherwise);
        }
        return Files.readString(file).strip();
    }

    private static void create(Path file, String token) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file,
                Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            channel.write(StandardCharsets.US_ASCII.encode(token + "\n"));
        }
    }
}
