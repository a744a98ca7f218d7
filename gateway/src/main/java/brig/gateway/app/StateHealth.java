package brig.gateway.app;

import brig.gateway.time.Timers;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks whether the state folder is writable. After a failed write it counts as failing until a trial succeeds, which
 * writes a file of some size and a row of the database. Owned by the event loop.
 *
 * <p>Decision 0129.
 */
final class StateHealth {
    private static final Logger log = LoggerFactory.getLogger(StateHealth.class);
    private static final long TRIAL_MS = 2_000;
    private static final int TRIAL_BYTES = 256 * 1024;

    private final Path trial;
    private final Supplier<CompletionStage<Void>> row;
    private final Executor disk;
    private final Executor loop;
    private final Timers timers;
    private boolean failing;

    /** @param row writes to the database without changing anything */
    StateHealth(Path state, Supplier<CompletionStage<Void>> row, Executor disk, Executor loop, Timers timers) {
        this.trial = state.resolve(".trial");
        this.row = row;
        this.disk = disk;
        this.loop = loop;
        this.timers = timers;
    }

    /** Reports a failed write. */
    void handleFailure(Throwable why) {
        if (!failing) {
            failing = true;
            log.error("the state folder is not writable: {}", why.getMessage());
            timers.after(TRIAL_MS, this::handleTrial);
        }
    }

    /** Reports a failed write that may concern the same disk; starts a trial. */
    void suspect() {
        if (!failing) {
            var _ = trial().whenCompleteAsync(
                            (done, failure) -> {
                                if (failure != null) {
                                    handleFailure(failure);
                                }
                            },
                            loop);
        }
    }

    private CompletableFuture<Void> trial() {
        return CompletableFuture.runAsync(this::writeFile, disk).thenComposeAsync(written -> row.get(), loop);
    }

    private void handleTrial() {
        var _ = trial().whenCompleteAsync(
                        (done, failure) -> {
                            if (failure == null) {
                                failing = false;
                                log.info("the state folder is writable again");
                            } else {
                                timers.after(TRIAL_MS, this::handleTrial);
                            }
                        },
                        loop);
    }

    private void writeFile() {
        try (FileChannel channel = FileChannel.open(
                trial,
                Set.of(StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")))) {
            ByteBuffer bytes = ByteBuffer.allocate(TRIAL_BYTES);
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
            channel.force(false);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            remove();
        }
    }

    private void remove() {
        try {
            Files.deleteIfExists(trial);
        } catch (IOException e) {
            log.debug("{} stays: {}", trial, e.toString());
        }
    }

    boolean isFailing() {
        return failing;
    }
}
