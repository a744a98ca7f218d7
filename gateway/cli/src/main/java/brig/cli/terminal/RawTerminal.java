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
    private final Thread atExit = Thread.ofPlatform().name("brig-raw").unstarted(() -> Stty.run(before));

    private RawTerminal() {}

    /** Becomes raw. */
    public static RawTerminal take() {
        RawTerminal terminal = new RawTerminal();
        Runtime.getRuntime().addShutdownHook(terminal.atExit);
        Stty.run("raw", "-echo");
        return terminal;
    }

    /** Its window. */
    public static Size size() {
        return Stty.size().orElse(USUAL);
    }

    /** Runs that whenever the window gets another size. */
    public static void whenResized(Runnable resized) {
        try {
            // javac warns of this class whenever it is named, and there is no other way to hear of SIGWINCH.
            Class<?> signal = Class.forName("sun.misc.Signal");
            Class<?> handler = Class.forName("sun.misc.SignalHandler");
            Object handle = Proxy.newProxyInstance(
                    RawTerminal.class.getClassLoader(), new Class<?>[] {handler}, (proxy, method, arguments) -> {
                        resized.run();
                        return null;
                    });
            signal.getMethod("handle", signal, handler)
                    .invoke(null, signal.getConstructor(String.class).newInstance("WINCH"), handle);
        } catch (ReflectiveOperationException e) {
            throw new IllegalStateException("a JVM without signals", e);
        }
    }

    @Override
    public void close() {
        if (Runtime.getRuntime().removeShutdownHook(atExit)) {
            Stty.run(before);
        }
    }
}
