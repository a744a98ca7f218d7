package brig.cli.terminal;

import brig.formats.terminal.TerminalFilter;
import brig.protocol.VisibleText;

/**
 * The person's screen while an agent's terminal is shown on it. What was there before is in the scrollback. However it ends,
 * all modes are as usual, and the terminal's driver is as it was. Thread-safe.
 *
 * <p>Decision 0186.
 */
public final class LentScreen implements Window, AutoCloseable {
    private static final String ESC = "\u001b";
    private static final String CSI = ESC + "[";
    private static final String BOTTOM = CSI + "9999;1H";

    private final Terminal terminal;
    private final RawTerminal raw;

    // Guarded by this.
    private final TerminalFilter filter = new TerminalFilter();
    private RawTerminal.Size size = RawTerminal.size();
    private boolean left;

    private LentScreen(Terminal terminal) {
        this.terminal = terminal;
        this.raw = RawTerminal.take(this::leave);
        // Up into the scrollback, line by line: terminals differ in whether clearing keeps them.
        terminal.own(BOTTOM + "\n".repeat(size.rows()));
    }

    /** Takes the terminal of this process. */
    public static LentScreen take(Terminal terminal) {
        return new LentScreen(terminal);
    }

    @Override
    public void whenChanged(Runnable changed) {
        RawTerminal.whenResized(() -> {
            look();
            changed.run();
        });
        RawTerminal.whenContinued(() -> {
            raw.becomeRaw();
            look();
            changed.run();
        });
    }

    private void look() {
        RawTerminal.Size now = RawTerminal.size();
        synchronized (this) {
            size = now;
        }
    }

    @Override
    public synchronized RawTerminal.Size size() {
        return size;
    }

    @Override
    public synchronized void fresh() {
        own(filter.fresh());
    }

    @Override
    public synchronized void draw(String output) {
        StringBuilder passed = new StringBuilder(output.length() + 16);
        filter.filter(output, passed);
        own(passed.toString());
    }

    @Override
    public synchronized void say(String text) {
        String shown = VisibleText.of(text);
        int room = Math.max(size.columns() - 1, 0);
        String cut = shown.codePointCount(0, shown.length()) <= room
                ? shown
                : shown.substring(0, shown.offsetByCodePoints(0, room));
        own(ESC + "7" + CSI + size.rows() + ";1H" + CSI + "0;7m" + cut + CSI + "0m" + CSI + "K" + ESC + "8");
    }

    private void own(String sequences) {
        if (!left) {
            terminal.own(sequences);
        }
    }

    private synchronized void leave() {
        own(filter.restore() + "\r\n");
        left = true;
    }

    @Override
    public void close() {
        raw.close();
    }
}
