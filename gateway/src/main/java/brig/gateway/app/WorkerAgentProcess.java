package brig.gateway.app;

import brig.gateway.config.Paths;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The worker-agent that a gateway starts for itself, as a process in a session of its own: it outlives the gateway, and
 * a Ctrl-C for the gateway does not reach it. Its log is {@code worker-agent.log} in the state folder.
 *
 * <p>Decision 0101.
 */
final class WorkerAgentProcess {
    private static final Logger log = LoggerFactory.getLogger(WorkerAgentProcess.class);

    private static final Set<PosixFilePermission> PRIVATE = PosixFilePermissions.fromString("rw-------");
    private static final Pattern LOG_HEAD = Pattern.compile("^[0-9T:.-]+Z [A-Z]+ +\\w+ ");
    private static final int STARTS_MAX = 3;
    private static final long STOP_MS = 5_000;

    private final Paths paths;
    private final @Nullable Path configFile;
    private @Nullable Process process;
    private int starts;

    WorkerAgentProcess(Paths paths, @Nullable Path configFile) {
        this.paths = paths;
        this.configFile = configFile;
    }

    /** Starts it unless it is running. @throws BrigException if it ended too often */
    void ensureRunning() {
        if (process != null && process.isAlive()) {
            return;
        }
        if (++starts > STARTS_MAX) {
            throw new BrigException(
                    ErrorCode.WORKER_AGENT_UNAVAILABLE, "the worker-agent does not start: " + lastWords());
        }
        List<String> command =
                new ArrayList<>(DelegatedScope.ofHost(Paths.isRoot()).prefix());
        command.addAll(List.of(
                "setsid",
                paths.home().resolve("bin/brig").toString(),
                "worker-agent",
                "--embedded",
                "--home",
                paths.home().toString(),
                "--runtime-dir",
                paths.runtime().toString()));
        if (configFile != null) {
            command.addAll(List.of("--config", configFile.toString()));
        }
        Path logFile = logFile();
        try {
            makePrivate(logFile);
            process = new ProcessBuilder(command)
                    .redirectInput(
                            ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(logFile.toFile()))
                    .redirectErrorStream(true)
                    .start();
            log.info("worker-agent started pid={} log={}", process.pid(), logFile);
        } catch (IOException e) {
            throw new BrigException(
                    ErrorCode.WORKER_AGENT_UNAVAILABLE,
                    "cannot start the worker-agent: " + command.getFirst()
                            + " cannot be run; is it in a folder of PATH?");
        }
    }

    /** The log names sessions, which are confidential to other users of this host. */
    private static void makePrivate(Path file) throws IOException {
        if (!Files.exists(file)) {
            Files.createFile(file, PosixFilePermissions.asFileAttribute(PRIVATE));
        }
        Files.setPosixFilePermissions(file, PRIVATE);
    }

    /** Whether it runs, and this gateway started it. */
    boolean isOurs() {
        return process != null && process.isAlive();
    }

    /** It answered: resets the count of failed starts. */
    void handleUp() {
        starts = 0;
    }

    /** Ends it by signal, for when its socket does not work. Its workers end with it. */
    void stop() {
        if (process == null) {
            return;
        }
        process.destroy();
        awaitEnd();
    }

    /** Waits until it has ended, if this gateway started it; in the end it is killed. */
    void awaitEnd() {
        if (process == null) {
            return;
        }
        try {
            if (!process.waitFor(STOP_MS, TimeUnit.MILLISECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private Path logFile() {
        return paths.state().resolve("worker-agent.log");
    }

    /** The last line of its log, without time and class. The path of the log is logged at each start. */
    private String lastWords() {
        try (Stream<String> lines = Files.lines(logFile())) {
            String last = lines.reduce((before, after) -> after).orElse("it said nothing");
            return LOG_HEAD.matcher(last).replaceFirst("");
        } catch (IOException | UncheckedIOException e) {
            return "its log " + logFile() + " cannot be read";
        }
    }
}
