package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A program on a pseudo-terminal, made by {@code script} of util-linux: what it prints there, both streams as a person sees them. */
final class Pty implements AutoCloseable {
    private static final Path SCRIPT = Path.of("/usr/bin/script");
    private static final String SECONDS_MAX = "90";

    private static final int TIMED_OUT = 124;

    private final List<String> command;
    private final Process process;
    private final StringBuilder shown = new StringBuilder();

    private Pty(List<String> command, Process process) {
        this.command = command;
        this.process = process;
    }

    /** Starts it. The bytes are read one for one, as ISO 8859-1: {@link #text} decodes them. */
    static Pty start(List<String> command) throws IOException {
        assertTrue(Files.isExecutable(SCRIPT), () -> SCRIPT + " is missing: apt-get install bsdutils");
        String line = command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        ProcessBuilder builder = new ProcessBuilder(
                        "timeout", "--foreground", SECONDS_MAX, SCRIPT.toString(), "-qec", line, "/dev/null")
                .redirectErrorStream(true);
        builder.environment().put("TERM", "xterm-256color");
        builder.environment().remove("NO_COLOR");
        builder.environment().put("SHELL", "/bin/sh");
        return new Pty(command, builder.start());
    }

    /** All that it printed, with the line ends that the terminal's driver makes taken back. */
    static String run(List<String> command) throws IOException {
        try (Pty pty = start(command)) {
            return pty.readToEnd();
        }
    }

    /** Reads until that was printed so many times. */
    void readUntil(String wanted, int times) throws IOException {
        InputStream out = process.getInputStream();
        while (shown.toString().split(Pattern.quote(wanted), -1).length <= times) {
            int next = out.read();
            if (next < 0) {
                throw new AssertionError(command + " ended without '" + wanted + "': " + text());
            }
            shown.append((char) next);
        }
    }

    String readToEnd() throws IOException {
        shown.append(new String(process.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1));
        try {
            assertNotEquals(TIMED_OUT, process.waitFor(), () -> command + " did not end: " + text());
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        return text();
    }

    /** Presses Ctrl-C. */
    void interrupt() throws IOException {
        press(3);
    }

    void press(int key) throws IOException {
        process.getOutputStream().write(key);
        process.getOutputStream().flush();
    }

    /** What was read so far. */
    String shown() {
        return text();
    }

    /** Its program, and what that started. */
    Stream<ProcessHandle> processes() {
        return process.descendants();
    }

    private String text() {
        return new String(shown.toString().getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8)
                .replace("\r\n", "\n");
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
