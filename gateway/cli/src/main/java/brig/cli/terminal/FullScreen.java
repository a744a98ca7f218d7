package brig.cli.terminal;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;

/**
 * The whole window for lines of Brig's own. The person's screen comes back when it is closed, and when the process ends by a
 * signal. Thread-safe.
 *
 * <p>Decision 0187.
 */
public final class FullScreen implements AutoCloseable {
    private static final String CSI = "\u001b[";
    private static final String ENTER = CSI + "?1049h" + CSI + "?25l" + CSI + "?7l";
    private static final String LEAVE = CSI + "?7h" + CSI + "?25h" + CSI + "?1049l";
    /** Terminals that know it show the lines between at once. */
    private static final String BEGIN = CSI + "?2026h" + CSI + "H";

    private static final String LINE_END = CSI + "K";
    private static final String END = CSI + "J" + CSI + "?2026l";

    private final Terminal terminal;

    // Guarded by this.
    private RawTerminal raw;
    private RawTerminal.Size size = RawTerminal.size();
    private boolean shown = true;
    private List<StyledLine> last = List.of();

    private FullScreen(Terminal terminal) {
        this.terminal = terminal;
        this.raw = RawTerminal.take(this::leave);
        terminal.own(ENTER);
    }

    /** Takes the terminal of this process. */
    public static FullScreen take(Terminal terminal) {
        return new FullScreen(terminal);
    }

    /** Runs that after the window has got another size, or the process goes on after it was stopped. */
    public void whenChanged(Runnable changed) {
        RawTerminal.whenResized(() -> {
            look();
            changed.run();
        });
        RawTerminal.whenContinued(() -> {
            again();
            changed.run();
        });
    }

    private synchronized void look() {
        size = RawTerminal.size();
        last = List.of();
    }

    private synchronized void again() {
        if (shown) {
            raw.becomeRaw();
            terminal.own(ENTER);
            look();
        }
    }

    public synchronized RawTerminal.Size size() {
        return size;
    }

    /** Shows these lines, from the top. */
    public synchronized void draw(List<StyledLine> lines) {
        if (!shown || lines.toString().equals(last.toString())) {
            return;
        }
        StringBuilder text = new StringBuilder(BEGIN);
        int room = Math.min(lines.size(), size.rows());
        for (int i = 0; i < room; i++) {
            text.append(lines.get(i)).append(LINE_END).append(i < room - 1 ? "\r\n" : "");
        }
        terminal.own(text.append(room < size.rows() ? "\r\n" : "").append(END).toString());
        last = List.copyOf(lines);
    }

    /** Gives the terminal to something else for as long as that runs. */
    public void lend(Runnable other) {
        RawTerminal lent;
        synchronized (this) {
            lent = raw;
        }
        lent.close();
        try {
            other.run();
        } finally {
            synchronized (this) {
                shown = true;
                raw = RawTerminal.take(this::leave);
                terminal.own(ENTER);
                look();
            }
        }
    }

    /** The keys that wait to be read; does not block. */
    public List<TypedKey> keys(InputStream typed) throws IOException {
        int waiting = typed.available();
        return waiting == 0 ? List.of() : TypedKey.read(new String(typed.readNBytes(waiting), StandardCharsets.UTF_8));
    }

    private synchronized void leave() {
        if (shown) {
            shown = false;
            terminal.own(LEAVE);
        }
    }

    @Override
    public void close() {
        RawTerminal ending;
        synchronized (this) {
            ending = raw;
        }
        ending.close();
    }
}
