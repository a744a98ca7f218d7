package brig.gateway.app;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Exclusive ownership of a folder by one gateway: a locked file {@code gateway.lock} in it, which holds the owner's
 * process id. The kernel releases the lock with its process, however that ends, so there are no stale locks.
 *
 * <p>Decisions 0127, 0198.
 */
public final class StateLock {
    private static final String NAME = "gateway.lock";
    private static final int PID_BYTES_MAX = 20;

    private final FileChannel channel;

    private StateLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Locks the folder, which must exist. @throws BrigException {@code ALREADY_RUNNING} with the owner's pid */
    static StateLock take(Path folder) {
        Path file = folder.resolve(NAME);
        try {
            FileChannel channel = FileChannel.open(
                    file,
                    Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
            if (!isFree(channel)) {
                try (channel) {
                    throw new BrigException(
                            ErrorCode.ALREADY_RUNNING,
                            "a gateway already runs, pid " + pid(channel)
                                    + ", on "
                                    + folder
                                    + ": end it, or choose another stateDir and runtimeDir in the configuration");
                }
            }
            channel.truncate(0);
            channel.write(
                    StandardCharsets.US_ASCII.encode(ProcessHandle.current().pid() + "\n"), 0);
            return new StateLock(channel);
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.RECORD_LOST,
                    "cannot write " + file + ": " + e.getMessage() + "; make room in that folder, or make it writable");
        }
    }

    /**
     * Looks who owns the folder; not for the owner's own process, whose lock would go with the look.
     *
     * @return the process id; null for nobody, or if this user cannot tell
     */
    public static @Nullable String owner(Path folder) {
        try (FileChannel channel =
                FileChannel.open(folder.resolve(NAME), StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            String pid = pid(channel);
            // A lock is tried only where the last owner may live: the trial could be in a new owner's way.
            return isAlive(pid) && !isFree(channel) ? pid : null;
        } catch (IOException noneThere) {
            return null;
        }
    }

    private static boolean isAlive(String pid) {
        return pid.matches("[0-9]{1,10}")
                && ProcessHandle.of(Long.parseLong(pid)).isPresent();
    }

    private static boolean isFree(FileChannel channel) throws IOException {
        try {
            return channel.tryLock() != null;
        } catch (OverlappingFileLockException ofThisProcess) {
            return false;
        }
    }

    private static String pid(FileChannel channel) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(PID_BYTES_MAX);
        channel.read(read, 0);
        return new String(read.array(), 0, read.position(), StandardCharsets.US_ASCII).strip();
    }

    /** Releases the folder. */
    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL, "the lock of the state folder was not given back: " + e.getMessage());
        }
    }
}
