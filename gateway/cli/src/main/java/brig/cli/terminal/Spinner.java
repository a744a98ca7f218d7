package brig.cli.terminal;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Shows activity on a terminal after a while without output. */
public final class Spinner implements AutoCloseable {
    private static final String FACES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏";
    private static final int PATIENCE_MS = 300;
    private static final int TURN_MS = 80;
    private static final String CLEAR_LINE = "\r\u001b[K";

    private final Terminal terminal;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Thread thread;

    private Spinner(Terminal terminal, Supplier<String> what) {
        this.terminal = terminal;
        this.thread = Thread.ofVirtual().start(() -> spin(what));
    }

    /** @param visible whether a person can see it */
    static Spinner start(Terminal terminal, Supplier<String> what, boolean visible) {
        Spinner spinner = new Spinner(terminal, what);
        if (!visible) {
            spinner.stopped.countDown();
        }
        return spinner;
    }

    private void spin(Supplier<String> what) {
        try {
            if (stopped.await(PATIENCE_MS, TimeUnit.MILLISECONDS)) {
                return;
            }
            for (int face = 0; !stopped.await(TURN_MS, TimeUnit.MILLISECONDS); face++) {
                terminal.ownAside(CLEAR_LINE + FACES.charAt(face % FACES.length()) + StyledLine.of(" " + what.get()));
            }
            terminal.ownAside(CLEAR_LINE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Removes it; nothing of it is left on the screen when this returns. */
    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
