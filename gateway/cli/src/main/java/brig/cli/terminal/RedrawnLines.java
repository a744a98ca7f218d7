package brig.cli.terminal;

import java.util.List;
import java.util.stream.Collectors;

/** Lines that are redrawn in place on a terminal, and printed one below the other elsewhere. */
public final class RedrawnLines {
    private static final String NO_WRAP = "\u001b[?7l";
    private static final String WRAP = "\u001b[?7h";

    private final Terminal terminal;
    private final boolean live;
    private int linesDrawn;

    RedrawnLines(Terminal terminal, boolean live) {
        this.terminal = terminal;
        this.live = live;
    }

    /** Replaces the previous lines. */
    public void draw(List<StyledLine> lines) {
        String text = lines.stream().map(line -> line + "\n").collect(Collectors.joining());
        if (!live) {
            terminal.own(text);
            return;
        }
        String back = linesDrawn == 0 ? "" : "\u001b[" + linesDrawn + "A\u001b[J";
        terminal.own(back + NO_WRAP + text + WRAP);
        linesDrawn = lines.size();
    }
}
