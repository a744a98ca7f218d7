package brig.cli;

import brig.formats.SessionFiles;
import brig.formats.adapter.SessionFile;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Publishes an agent's transcript file to the gateway: {@code brig track --session-file}. */
final class SessionImport {
    private static final long LOOK_MS = 300;
    /** How long Ctrl-C waits until the end is recorded. */
    private static final long FAREWELL_SECONDS = 6;

    private final SessionFile file;
    private final Path path;
    private final Main main;
    private final CountDownLatch stop = new CountDownLatch(1);
    private final CountDownLatch stopped = new CountDownLatch(1);
    private @Nullable TrackPublisher publisher;

    private SessionImport(Path path, Main main) throws IOException {
        this.path = path;
        this.main = main;
        file = SessionFiles.open(path, (type, body, length) -> {
            if (publisher != null) {
                publisher.append(type, body, length);
            }
        });
    }

    /**
     * Opens the file, and a session for it.
     *
     * @param taskId the name of the session; null for none
     * @throws BrigException if the file has an unknown format, or the gateway refuses
     */
    static SessionImport of(Path path, @Nullable String taskId, Main main) throws IOException {
        SessionImport opened = new SessionImport(path, main);
        String folder = opened.file.folder().startsWith("/")
                ? opened.file.folder()
                : String.valueOf(path.toAbsolutePath().getParent());
        opened.publisher = TrackPublisher.open(
                main.context().connect(), opened.file.program(), taskId, folder, true, main.terminal()::note);
        main.terminal().note("reading as " + (taskId == null ? opened.publisher.spawnId() : taskId));
        return opened;
    }

    /**
     * Reads to the end of the file, or when following a growing file until this process is told to end.
     *
     * @return the exit code
     */
    int run(boolean follow) throws InterruptedException {
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("brig-interrupt").unstarted(this::stop));
        try (TrackPublisher to = Objects.requireNonNull(publisher)) {
            String broken = null;
            boolean understood = false;
            try {
                understood = file.read();
                while (follow && file.grows() && to.goesOn() && !stop.await(LOOK_MS, TimeUnit.MILLISECONDS)) {
                    understood |= file.read();
                }
            } catch (IOException e) {
                broken = e.getMessage();
            }
            file.finish();
            to.finish();
            if (broken != null || !to.goesOn()) {
                throw new BrigException(
                        ErrorCode.RECORD_LOST,
                        "the session does not have all of " + path + (broken == null ? "" : ": " + broken));
            }
            if (!understood) {
                throw new BrigException(
                        ErrorCode.INVALID_FIELD, "nothing in " + path + " is what " + file.program() + " says");
            }
            return 0;
        } finally {
            stopped.countDown();
        }
    }

    private void stop() {
        stop.countDown();
        try {
            if (!stopped.await(FAREWELL_SECONDS, TimeUnit.SECONDS)) {
                main.terminal().note("the end of " + path + " is not recorded");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
