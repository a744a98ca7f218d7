package brig.workeragent.sandbox;

import brig.workeragent.sandbox.SandboxException.Code;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * gVisor's program runsc. Older ones than {@link #OLDEST} lack the platform that walls use, or cannot pass descriptors on.
 * Thread-safe.
 *
 * <p>Decision 0205.
 */
public final class GvisorProgram {
    /** The date in its version. */
    static final int OLDEST = 20240729;

    private static final String MEND =
            ": install gVisor's runsc of 2024-07-29 or newer (Debian 13: apt-get install runsc; Debian 12: the same from"
                    + " bookworm-backports), or set worker.runsc to its path";
    private static final List<Path> PLACES = List.of(Path.of("/usr/bin/runsc"), Path.of("/usr/local/bin/runsc"));
    private static final Pattern VERSION = Pattern.compile("^runsc version \\S*?(\\d{8})\\S*", Pattern.MULTILINE);
    private static final int OUTPUT_MAX = 500;
    private static final int ANSWER_SECONDS = 10;

    private final List<Path> places;
    private @Nullable Found found;

    private record Found(Path program, Object identity, String version) {}

    private GvisorProgram(List<Path> places) {
        this.places = places;
    }

    /** Where distributions install it. */
    public static GvisorProgram installed() {
        return new GvisorProgram(PLACES);
    }

    /** That program; absolute. */
    public static GvisorProgram at(Path program) {
        return new GvisorProgram(List.of(program));
    }

    /**
     * The program, which is asked for its version once.
     *
     * @throws SandboxException {@code WALL_UNAVAILABLE} with the mend
     */
    public synchronized Path require() throws SandboxException {
        Path program = places.stream()
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> unavailable("there is no gVisor at " + places + MEND));
        Object identity = identity(program);
        if (found == null || !found.program.equals(program) || !found.identity.equals(identity)) {
            found = new Found(program, identity, checked(program));
        }
        return program;
    }

    /** Its version, as {@link #require} found it. */
    public synchronized String version() {
        return found == null ? "" : found.version;
    }

    private static Object identity(Path program) throws SandboxException {
        try {
            return List.of(Files.getLastModifiedTime(program), Files.size(program));
        } catch (IOException gone) {
            throw unavailable("gVisor cannot be read at " + program + MEND);
        }
    }

    private static String checked(Path program) throws SandboxException {
        String said = ask(program);
        Matcher version = VERSION.matcher(said);
        if (!version.find()) {
            throw unavailable(program + " --version says no version of gVisor" + MEND);
        }
        if (Integer.parseInt(version.group(1)) < OLDEST) {
            throw unavailable(version.group() + " is too old" + MEND);
        }
        return version.group();
    }

    private static String ask(Path program) throws SandboxException {
        try {
            var builder = new ProcessBuilder(program.toString(), "--version").redirectErrorStream(true);
            builder.environment().clear();
            Process process = builder.start();
            try (var output = process.getInputStream()) {
                String said = new String(output.readNBytes(OUTPUT_MAX), StandardCharsets.UTF_8);
                process.waitFor(ANSWER_SECONDS, TimeUnit.SECONDS);
                return said;
            } finally {
                process.destroyForcibly();
            }
        } catch (IOException refused) {
            throw unavailable(program + " cannot be executed: " + refused.getMessage() + MEND);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw unavailable("the worker-agent is being stopped");
        }
    }

    private static SandboxException unavailable(String why) {
        return new SandboxException(Code.WALL_UNAVAILABLE, why);
    }
}
