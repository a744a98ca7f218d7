package brig.protocol.log;

/** The log of this process, for those that end it. */
public final class LogOutput {
    private static volatile Runnable flush = () -> {};

    static {
        Runtime.getRuntime()
                .addShutdownHook(Thread.ofPlatform().name("brig-log-end").unstarted(LogOutput::flush));
    }

    private static volatile boolean held;

    /** Lines are held back until it is closed. */
    public interface Hold extends AutoCloseable {
        @Override
        void close();
    }

    private LogOutput() {}

    /** Holds lines back while the terminal shows something else, unless a service writes them. Closing writes them. */
    public static Hold hold() {
        held = true;
        return () -> {
            held = false;
            flush();
        };
    }

    static boolean isHeld() {
        return held;
    }

    static void onFlush(Runnable action) {
        flush = action;
    }

    /**
     * Waits until what was logged is written, at most a second. The end of the process does that by itself, but not for
     * what another shutdown hook logs.
     */
    public static void flush() {
        flush.run();
    }
}
