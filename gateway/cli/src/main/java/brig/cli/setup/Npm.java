package brig.cli.setup;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The user's npm. Its settings are the user's too, such as another registry. */
public final class Npm {
    private static final long SECONDS_MAX = 1800;
    private static final int SAID_BYTES_MAX = 64 * 1024;
    private static final int LINES_MAX = 3;
    private static final int WORDS_MAX = 300;
    private static final String ERROR = "npm error ";

    private final Path program;
    private @Nullable Process running;

    public Npm(Path program) {
        this.program = program;
    }

    /**
     * Installs one package, without running anything of it.
     *
     * @param folder for {@code node_modules}, and for all else that npm writes
     */
    void install(PinnedAgent agent, Path folder) throws IOException {
        Path said = folder.resolve("npm.txt");
        Process npm = start(new ProcessBuilder(
                        program.toString(),
                        "install",
                        "--location=project",
                        "--prefix=" + folder,
                        "--cache=" + folder.resolve("cache"),
                        "--ignore-scripts",
                        "--include=optional",
                        "--no-save",
                        "--no-package-lock",
                        "--no-audit",
                        "--no-fund",
                        "--no-update-notifier",
                        "--fetch-retry-mintimeout=1000",
                        "--fetch-retry-maxtimeout=10000",
                        "--loglevel=error",
                        agent.spec())
                .directory(folder.toFile())
                .redirectInput(ProcessBuilder.Redirect.from(Path.of("/dev/null").toFile()))
                .redirectErrorStream(true)
                .redirectOutput(said.toFile()));
        try {
            if (!npm.waitFor(SECONDS_MAX, TimeUnit.SECONDS)) {
                throw failure(agent, "npm took more than " + SECONDS_MAX / 60 + " minutes");
            }
            if (npm.exitValue() != 0) {
                throw failure(agent, reason(said));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw failure(agent, "interrupted");
        } finally {
            end();
        }
    }

    private synchronized Process start(ProcessBuilder program) throws IOException {
        Process started = program.start();
        running = started;
        return started;
    }

    /** Ends what it runs, and waits for that. */
    synchronized void end() {
        if (running != null) {
            running.descendants().forEach(ProcessHandle::destroyForcibly);
            running.destroyForcibly().onExit().join();
            running = null;
        }
    }

    /** Its errors, without those that name files. */
    private static String reason(Path said) throws IOException {
        String text;
        try (InputStream in = Files.newInputStream(said)) {
            text = new String(in.readNBytes(SAID_BYTES_MAX), StandardCharsets.UTF_8);
        }
        String errors = text.lines()
                .filter(line -> line.startsWith(ERROR) && !line.contains("A complete log"))
                .map(line -> line.substring(ERROR.length()).strip())
                .filter(line -> !line.isEmpty())
                .limit(LINES_MAX)
                .collect(Collectors.joining("; "));
        String reason = errors.isEmpty() ? text.lines().findFirst().orElse("it says nothing") : errors;
        return reason.substring(0, Math.min(reason.length(), WORDS_MAX));
    }

    static BrigException failure(PinnedAgent agent, String why) {
        return new BrigException(
                ErrorCode.COMMAND_NOT_FOUND, agent.title() + " was not installed: " + why + "; " + cure(why, agent));
    }

    private static String cure(String why, PinnedAgent agent) {
        boolean unreachable = List.of("ENOTFOUND", "ECONN", "ETIMEDOUT", "EAI_AGAIN", "ENETUNREACH").stream()
                .anyMatch(why::contains);
        if (unreachable) {
            return "is the registry reachable ('npm ping')? npm takes a proxy from HTTPS_PROXY";
        }
        if (why.contains("CERT")) {
            return "where a proxy decrypts, npm needs its certificate: NODE_EXTRA_CA_CERTS=FILE";
        }
        return why.contains("ENOSPC")
                ? "an agent takes up to 400 MB, and twice that while it is installed: make room"
                : "by hand: npm install -g --include=optional " + agent.spec();
    }
}
