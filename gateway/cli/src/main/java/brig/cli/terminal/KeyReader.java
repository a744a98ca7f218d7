package brig.cli.terminal;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Reads single keys from this process's terminal without echo, until it is closed or the process ends. There are none
 * if standard input is not a terminal, or without stty.
 */
public final class KeyReader implements AutoCloseable {
    private final LinkedBlockingQueue<Integer> pressed = new LinkedBlockingQueue<>();
    private final String before;
    private final Thread atExit = Thread.ofPlatform().name("brig-keys").unstarted(this::restore);

    private KeyReader(String before) {
        this.before = before;
    }

    /** A reader without keys. */
    public static KeyReader none() {
        return new KeyReader("");
    }

    /** Starts reading keys. */
    public static KeyReader take() {
        KeyReader keys = new KeyReader(Terminal.isTerminal(0) ? stty("-g") : "");
        if (!keys.before.isEmpty()) {
            Runtime.getRuntime().addShutdownHook(keys.atExit);
            stty("-icanon", "-echo");
            Thread.ofPlatform().daemon().name("brig-key-reader").start(keys::read);
        }
        return keys;
    }

    private void read() {
        try {
            for (int key = System.in.read(); key >= 0; key = System.in.read()) {
                pressed.add(key);
            }
        } catch (IOException closed) {
            pressed.clear();
        }
    }

    /** Waits at most that long. @return whether that key was pressed */
    public boolean await(char key, long milliseconds) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
        Integer next;
        do {
            next = pressed.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS);
        } while (next != null && next != key);
        return next != null;
    }

    /** The current number of rows; windows change. */
    public static int rows(int unknown) {
        String[] size = stty("size").split(" ", -1);
        return size.length == 2 && size[0].matches("[1-9]\\d{0,4}") ? Integer.parseInt(size[0]) : unknown;
    }

    private void restore() {
        if (!before.isEmpty()) {
            stty(before);
        }
    }

    @Override
    public void close() {
        if (!before.isEmpty() && Runtime.getRuntime().removeShutdownHook(atExit)) {
            restore();
        }
    }

    /** Runs stty on our terminal; empty if that fails. */
    private static String stty(String... arguments) {
        String[] command = new String[arguments.length + 1];
        command[0] = "stty";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        try {
            Process stty = new ProcessBuilder(command)
                    .redirectInput(ProcessBuilder.Redirect.INHERIT)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            return new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).strip();
        } catch (IOException noStty) {
            return "";
        }
    }
}
