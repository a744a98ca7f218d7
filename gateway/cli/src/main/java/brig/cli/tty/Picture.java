package brig.cli.tty;

import brig.cli.terminal.Window;
import brig.formats.terminal.TerminalModel;
import brig.protocol.spawn.TerminalSize;

/**
 * An agent's terminal in a window. Where both have one size, what the agent writes goes to the window as it is. Elsewhere the
 * window shows a part, which a model draws. Thread-safe.
 *
 * <p>Decision 0186.
 */
final class Picture {
    private static final int PENDING_CHARS_MAX = 64 * 1024;
    private static final TerminalSize USUAL = new TerminalSize(80, 24);
    /** CAN, which ends a sequence that is cut. */
    private static final char CANCEL = 0x18;

    private final Window window;

    // Guarded by this.
    private final StringBuilder pending = new StringBuilder();
    private TerminalModel model = model(USUAL);
    private TerminalSize session = USUAL;
    private TerminalSize shown;
    /** The window lacks what the model has. */
    private boolean stale;
    /** The window shows a part. */
    private boolean partial;

    Picture(TerminalSize shown, Window window) {
        this.shown = shown;
        this.window = window;
    }

    /** Its answers to the agent come from the worker-agent's own. */
    private static TerminalModel model(TerminalSize size) {
        return new TerminalModel(size.cols(), size.rows(), answer -> {});
    }

    /** The size of the agent's terminal. */
    synchronized TerminalSize session() {
        return session;
    }

    /** Whether the window has exactly this size. */
    synchronized boolean isWhole() {
        return session.equals(shown);
    }

    /** Begins anew with what draws a checkpoint, or with an empty text. */
    synchronized void begin(TerminalSize size, String checkpoint) {
        model = model(size);
        model.write(checkpoint);
        session = size;
        pending.setLength(0);
        partial = false;
        stale = !isWhole();
        if (isWhole()) {
            window.fresh();
            window.draw(CANCEL + checkpoint);
        }
        flush();
    }

    /** The agent wrote that. It is shown with the next {@link #flush}. */
    synchronized void write(String output) {
        model.write(output);
        if (!isWhole()) {
            stale = true;
            return;
        }
        pending.append(output);
        if (pending.length() > PENDING_CHARS_MAX) {
            flush();
        }
    }

    /** The agent's terminal has another size. */
    synchronized void resizeSession(TerminalSize size) {
        if (!size.equals(session)) {
            flush();
            model.resize(size.cols(), size.rows());
            session = size;
            redraw();
        }
    }

    /** The window has another size. */
    synchronized void resizeWindow(TerminalSize size) {
        flush();
        shown = size;
        redraw();
    }

    /** Shows everything anew. */
    synchronized void redraw() {
        flush();
        stale = true;
        partial = false;
        flush();
    }

    /** Shows what is not shown yet. */
    synchronized void flush() {
        if (!pending.isEmpty()) {
            window.draw(pending.toString());
            pending.setLength(0);
        }
        if (stale && !isWhole()) {
            if (!partial) {
                window.fresh();
                partial = true;
            }
            window.draw(CANCEL + model.drawPart(shown.cols(), shown.rows()));
            stale = false;
        } else if (stale && model.isGround()) {
            // A sequence that is cut goes on with the next output.
            window.fresh();
            window.draw(CANCEL + model.drawScreen());
            partial = false;
            stale = false;
        }
    }
}
