package brig.cli.install;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * The start-up archives of a version. The JVM refuses them where files have another size or time, so they are made where
 * Brig is unpacked. They appear whole: a command that starts meanwhile does without.
 *
 * <p>Decision 0020.
 */
public final class StartupArchives {
    private static final List<String> NAMES = List.of("cli.aot", "mcp.aot", "serve.aot", "worker-agent.aot");
    private static final long SECONDS_MAX = 300;

    private StartupArchives() {}

    public static boolean areMade(Path home) {
        return NAMES.stream().allMatch(name -> Files.exists(home.resolve("lib").resolve(name)));
    }

    /**
     * Runs Brig's typical work once.
     *
     * @param progress is told how many of how many are made, each time there is one more
     * @return whether all were made; the version works without them too
     */
    public static boolean make(Path home, Progress progress) {
        Path lib = home.resolve("lib");
        try {
            Path unfinished = Files.createTempDirectory(lib, ".archives-");
            try {
                run(home, unfinished, progress);
                for (String name : NAMES) {
                    if (Files.exists(unfinished.resolve(name))) {
                        Files.move(unfinished.resolve(name), lib.resolve(name), StandardCopyOption.ATOMIC_MOVE);
                    }
                }
            } finally {
                Installation.delete(unfinished);
            }
        } catch (IOException e) {
            throw new BrigException(ErrorCode.FORBIDDEN, "cannot write to " + lib + ": " + Reason.of(e));
        }
        return areMade(home);
    }

    /** Removes them. Programs that run go on with those that they have. */
    public static void remove(Path home) throws IOException {
        for (String name : NAMES) {
            Files.deleteIfExists(home.resolve("lib").resolve(name));
        }
    }

    /** Is told of progress. */
    @FunctionalInterface
    public interface Progress {
        void made(int count, int of);
    }

    private static void run(Path home, Path folder, Progress progress) throws IOException {
        Process training = new ProcessBuilder(
                        home.resolve("runtime/bin/java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        home.resolve("lib/train").toString(),
                        "Train",
                        home.toString(),
                        folder.toString())
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        // Ended by a signal, it ends what it started; for what is left when this command ends, too.
        Thread atExit = Thread.ofPlatform().unstarted(training::destroy);
        Runtime.getRuntime().addShutdownHook(atExit);
        try {
            int made = 0;
            for (int waited = 0; waited < SECONDS_MAX && !training.waitFor(1, TimeUnit.SECONDS); waited++) {
                int now = (int) NAMES.stream()
                        .filter(name -> Files.exists(folder.resolve(name)))
                        .count();
                if (now > made) {
                    made = now;
                    progress.made(made, NAMES.size());
                }
            }
            if (training.isAlive()) {
                training.destroy();
                training.waitFor();
            }
            Runtime.getRuntime().removeShutdownHook(atExit);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
