package brig.cli;

import brig.cli.terminal.StyledLine;
import brig.cli.terminal.StyledLine.Colour;
import brig.cli.terminal.TypedKey;
import java.util.ArrayList;
import java.util.List;

/** A long text, a window at a time. */
final class Pages {
    private static final int LINE_CHARS_MAX = 2_000;

    private final String title;
    private final List<String> lines;
    private final boolean coloured;
    private int top;
    private int room = 1;

    Pages(String title, List<String> lines, boolean coloured) {
        this.title = title;
        this.lines = List.copyOf(lines);
        this.coloured = coloured;
    }

    /** @return whether to go on */
    boolean press(TypedKey key) {
        switch (key.kind()) {
            case UP -> top--;
            case DOWN, ENTER -> top++;
            case PAGE_UP -> top -= room;
            case PAGE_DOWN -> top += room;
            case HOME -> top = 0;
            case END -> top = lines.size();
            case ESCAPE, LEAVE -> {
                return false;
            }
            case CHARACTER -> {
                if (key.is('q')) {
                    return false;
                }
                top += key.is('j') ? 1 : key.is('k') ? -1 : key.is(' ') ? room : key.is('b') ? -room : 0;
            }
            case ERASE, OTHER -> {}
        }
        return true;
    }

    /** What is in a window with so many rows. */
    List<StyledLine> lines(int rows) {
        room = Math.max(1, rows - 3);
        top = Math.clamp(top, 0, Math.max(0, lines.size() - room));
        List<StyledLine> shown = new ArrayList<>();
        shown.add(painted(Colour.BOLD, StyledLine.of(title)));
        lines.stream().skip(top).limit(room).forEach(line -> shown.add(painted(line)));
        while (shown.size() <= room) {
            shown.add(StyledLine.of(""));
        }
        shown.add(StyledLine.of(""));
        shown.add(painted(
                Colour.DIM,
                StyledLine.of("lines " + (top + 1) + " to " + Math.min(top + room, lines.size()) + " of " + lines.size()
                        + " · ↑↓ space b · q back")));
        return shown;
    }

    private StyledLine painted(String line) {
        StyledLine text = StyledLine.of(TreeDrawing.cut(line.replace("\t", "    "), LINE_CHARS_MAX));
        return line.startsWith("+")
                ? painted(Colour.GREEN, text)
                : line.startsWith("-") ? painted(Colour.RED, text) : text;
    }

    private StyledLine painted(Colour colour, StyledLine line) {
        return coloured ? line.in(colour) : line;
    }
}
