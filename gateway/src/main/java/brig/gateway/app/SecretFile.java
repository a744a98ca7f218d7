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

/** A secret of this gateway: made at the first start, kept in a file that only its owner reads. */
public final class SecretFile {
    private SecretFile() {}

    /** Reads the file, or makes it. @throws BrigException where others can read it, with the mend */
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
