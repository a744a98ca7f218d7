package brig.gateway.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.terminal.TerminalModel;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A program on a pseudo-terminal of {@code script}, and a terminal model in place of the person's window. The program is framed by
 * the settings of the terminal's driver before it and after it.
 */
final class PersonTerminal implements AutoCloseable {
    private static final String SECONDS_MAX = "170";
    private static final Pattern DEVICE = Pattern.compile("here (/dev/pts/\\d+)\\s");
    private static final Pattern SETTINGS = Pattern.compile("(?:before|after) (\\S+) end");

    private final Process process;

    // Guarded by this.
    private final TerminalModel model;
    private final StringBuilder output = new StringBuilder();
    private boolean over;

    private PersonTerminal(Process process, int cols, int rows) {
        this.process = process;
        this.model = new TerminalModel(cols, rows, answer -> {});
        Thread.startVirtualThread(this::read);
    }

    static PersonTerminal open(int cols, int rows, List<String> command) throws IOException {
        String line = command.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
        String script = "stty rows " + rows + " cols " + cols + "; echo here $(tty) ; echo before $(stty -g) end; "
                + line + "; code=$?; echo after $(stty -g) end; echo code $code.";
        ProcessBuilder builder = new ProcessBuilder(
                        "timeout", "--foreground", SECONDS_MAX, "/usr/bin/script", "-qec", script, "/dev/null")
                .redirectErrorStream(true);
        builder.environment().put("TERM", "xterm-256color");
        builder.environment().put("SHELL", "/bin/sh");
        return new PersonTerminal(builder.start(), cols, rows);
    }

    private void read() {
        char[] some = new char[8192];
        try (InputStreamReader in = new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)) {
            for (int count = in.read(some); count >= 0; count = in.read(some)) {
                synchronized (this) {
                    String text = String.valueOf(some, 0, count);
                    output.append(text);
                    model.write(text);
                    notifyAll();
                }
            }
        } catch (IOException closed) {
            Thread.currentThread().interrupt();
        }
        synchronized (this) {
            over = true;
            notifyAll();
        }
    }

    void type(String keys) throws IOException {
        process.getOutputStream().write(keys.getBytes(StandardCharsets.UTF_8));
        process.getOutputStream().flush();
    }

    /** What a person sees. */
    synchronized String screen() {
        return model.screen();
    }

    /** All that was written to the terminal. */
    synchronized String output() {
        return output.toString();
    }

    /** Waits until the screen is like that, and returns it. */
    synchronized String await(String what, Predicate<String> isSo) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(Await.DEADLINE_SECONDS);
        try {
            while (!isSo.test(screen())) {
                long leftMs = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
                if (leftMs <= 0 || over) {
                    throw new AssertionError((over ? "it ended without " : "not in time: ") + what + "\n" + screen());
                }
                wait(leftMs);
            }
            return screen();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    /** Waits for that text on the screen, in whatever colours and with gaps that nobody has written to. */
    String awaitText(String text) {
        return await(text, screen -> shows(screen, text));
    }

    /** Whether that text is on the screen now. */
    boolean shows(String text) {
        return shows(screen(), text);
    }

    private static boolean shows(String screen, String text) {
        return screen.replaceAll("⟦[^⟧]*⟧", "").replace('\u2400', ' ').contains(text);
    }

    /** Waits until both people see the same. */
    void awaitSameAs(PersonTerminal other) throws IOException {
        Await.until("both screens are one", () -> screen().equals(other.screen()));
    }

    /** The window gets another size. */
    void resize(int cols, int rows) throws IOException {
        Matcher device = DEVICE.matcher(output());
        assertTrue(device.find(), this::output);
        synchronized (this) {
            model.resize(cols, rows);
        }
        Run run = Run.of(
                List.of("stty", "-F", device.group(1), "rows", "" + rows, "cols", "" + cols), "", Path.of("/tmp"));
        assertEquals(0, run.exitCode(), run::err);
    }

    /** The programs of Java on it. */
    List<ProcessHandle> clients() {
        return process.descendants()
                .filter(one -> Processes.arguments(one).getFirst().endsWith("java"))
                .toList();
    }

    /** Waits until the program has ended, and its terminal is as it was. @return its exit code */
    int awaitEnd() throws IOException {
        try {
            assertTrue(process.waitFor(Await.DEADLINE_SECONDS, TimeUnit.SECONDS), this::screen);
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
        synchronized (this) {
            await("its end", screen -> over || screen.contains("code "));
        }
        String all = output();
        Matcher settings = SETTINGS.matcher(all);
        assertTrue(settings.find(), all);
        String before = settings.group(1);
        assertTrue(settings.find(), all);
        assertEquals(before, settings.group(1), "the driver of the terminal is as it was");
        TerminalModel after = new TerminalModel(80, 24, answer -> {});
        after.write(all);
        assertTrue(after.state().contains("\nmodes [WRAP, CURSOR, ALTERNATE_SCROLL]\nmouse 0 0 "), after::state);
        assertTrue(after.state().contains("keyboard [0]"), after::state);
        Matcher code = Pattern.compile("code (\\d+)\\.").matcher(all);
        assertTrue(code.find(), all);
        return Integer.parseInt(code.group(1));
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }
}
