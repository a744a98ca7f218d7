package brig.workeragent.grant;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;

/** The key from which placeholders of workers on other hosts are derived, so that they survive this process. */
final class PlaceholderKey {
    private static final int BYTES = 32;

    private PlaceholderKey() {}

    /** Reads it, or makes it. @throws BrigException {@code RECORD_LOST} */
    static byte[] read(Path file) {
        try {
            byte[] kept = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
            if (kept.length == BYTES) {
                return kept;
            }
            byte[] key = new byte[BYTES];
            new SecureRandom().nextBytes(key);
            WholeFile.write(file, key);
            return key;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.RECORD_LOST, "the key of placeholders cannot be read: " + Reason.withFile(e));
        }
    }
}
