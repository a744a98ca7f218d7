package brig.cli.terminal;

import java.lang.reflect.Proxy;

/**
 * The terminal of this process, passed on to a program elsewhere: each key as it is pressed, Ctrl-C too. When it is closed,
 * and when the process ends by a signal that it can see, the terminal is as it was.
 */
public final class RawTerminal implements AutoCloseable {
    private static final Size USUAL = new Size(24, 80);

    /** Of a window. */
    public record Size(int rows, int columns) {}

    private final String before = Stty.run("-g");
    private final Runnable atEnd;
    private final Thread atExit = Thread.ofPlatform().name("brig-raw").unstarted(this::restore);

    private RawTerminal(Runnable atEnd) {
        this.atEnd = atEnd;
    }

    /** Becomes raw. */
    public static RawTerminal take() {
        return take(() -> {});
    }

    /** @param atEnd runs before it is as it was, also when the process ends by a signal */
    static RawTerminal take(Runnable atEnd) {
        RawTerminal terminal = new RawTerminal(atEnd);
        Runtime.getRuntime().addShutdownHook(terminal.atExit);
        terminal.becomeRaw();
        return terminal;
    }

    /** Once more, after somebody else changed it while this process was stopped. */
    void becomeRaw() {
        Stty.run("raw", "-echo");
    }

    private void restore() {
        atEnd.run();
        Stty.run(before);
    }

    /** Its window. */
    public static Size size() {
        return Stty.size().orElse(USUAL);
    }

    /** Runs that whenever the window gets another size. */
    public static void whenResized(Runnable resized) {
        when("WINCH", resized);
    }

    /** Runs that whenever the process goes on after it was stopped. */
    static void whenContinued(Runnable continued) {
        when("CONT", continued);
    }

    /** Ctrl-C ends the program that the terminal is lent to, and not this process. */
    public static void ignoreInterrupts() {
        when("INT", () -> {});
    }

    private static void when(String name, Runnable run) {
        try {
            // javac warns of this class whenever it is named, and there is no other way to hear of signals.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object handle = Proxy.newProxyInstance(
                    RawTerminal.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        run.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance(name), handle);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a JVM without signals", e);
        }
    }

    @Override
    public void close() {
        try {
            if (Runtime.getRuntime().removeShutdownHook(atExit)) {
                restore();
            }
        } catch (IllegalStateException ending) {
            // The process ends, and its hook does it.
            return;
        }
    }
}
