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
            if (!PosixFilePermissions.toString(Files.getPosixFilePermissions(file))
                    .endsWith("------")) {
                throw new BrigException(
                        ErrorCode.INTERNAL,
                        "others may read " + file + ": chmod 600 " + file + ", or delete it to get a new token");
            }
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL, "cannot read or make the " + what + " " + file + ": " + Reason.of(e));
        }
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
