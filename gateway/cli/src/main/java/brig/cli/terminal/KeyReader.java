package brig.cli.terminal;

import java.io.IOException;
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
        KeyReader keys = new KeyReader(Terminal.isTerminal(0) ? Stty.run("-g") : "");
        if (!keys.before.isEmpty()) {
            Runtime.getRuntime().addShutdownHook(keys.atExit);
            Stty.run("-icanon", "-echo");
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
        return Stty.size().map(RawTerminal.Size::rows).orElse(unknown);
    }

    private void restore() {
        if (!before.isEmpty()) {
            Stty.run(before);
        }
    }

    @Override
    public void close() {
        if (!before.isEmpty() && Runtime.getRuntime().removeShutdownHook(atExit)) {
            restore();
        }
    }
}
