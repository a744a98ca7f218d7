package brig.workeragent.grant;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The key from which placeholders of workers on other hosts are derived, so that they survive this process. Made when
 * it is first needed. Thread-safe.
 */
final class PlaceholderKey {
    private static final int BYTES = 32;

    private final Path file;
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by the lock. */
    private byte @Nullable [] key;

    PlaceholderKey(Path file) {
        this.file = file;
    }

    /** @throws BrigException {@code RECORD_LOST} */
    byte[] get() {
        lock.lock();
        try {
            byte[] known = key == null ? read() : key;
            key = known;
            return known;
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.RECORD_LOST, "the key of placeholders cannot be read: " + Reason.withFile(e));
        } finally {
            lock.unlock();
        }
    }

    private byte[] read() throws IOException {
        byte[] kept = Files.exists(file) ? Files.readAllBytes(file) : new byte[0];
        if (kept.length == BYTES) {
            return kept;
        }
        byte[] made = new byte[BYTES];
        new SecureRandom().nextBytes(made);
        WholeFile.write(file, made);
        return made;
    }
}
