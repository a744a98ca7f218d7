package brig.gateway.app;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.WholeFile;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.LongSupplier;

/**
 * Numbers that are greater than all that any earlier gateway gave out, whatever its clock said. Those of one process are
 * reserved at its start. Owned by the event loop.
 */
final class EpochFile implements LongSupplier {
    /** More links than a process will ever make. */
    private static final long RESERVED = 1_000_000_000;

    private long last;

    /** @throws BrigException if the file cannot be read or written */
    EpochFile(Path file, long nowMs) {
        try {
            long taken =
                    Files.exists(file) ? Long.parseLong(Files.readString(file).strip()) : 0;
            last = Math.max(taken, nowMs);
            WholeFile.write(file, ((last + RESERVED) + "\n").getBytes(StandardCharsets.US_ASCII));
        } catch (IOException e) {
            throw new BrigException(ErrorCode.INTERNAL, "cannot keep the numbers of links: " + Reason.withFile(e));
        } catch (NumberFormatException e) {
            throw new BrigException(
                    ErrorCode.INTERNAL,
                    file + " has no number. Remove it if no session lives in a sandbox: the worker-agents there take no"
                            + " smaller number than the last");
        }
    }

    @Override
    public long getAsLong() {
        return ++last;
    }
}
