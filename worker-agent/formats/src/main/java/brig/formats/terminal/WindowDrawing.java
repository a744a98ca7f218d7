package brig.formats.terminal;

import java.util.List;

/**
 * The sequences that show a {@link Display} in a window of another size: its beginning, or further down as much as the cursor
 * needs. The window may show an earlier such drawing; it wraps nothing meanwhile. Keys do in the window what they do in the
 * display; the mouse as long as the upper left corners are the same.
 */
final class WindowDrawing {
    private static final String CSI = "\u001b[";
    private static final String BEGIN =
            CSI + "?2026h" + CSI + "?25;7l" + CSI + "?9;1000;1002;1003;1005;1006;1015;1016l";
    private static final List<Mode> OF_KEYS =
            List.of(Mode.CURSOR_KEYS, Mode.KEYPAD, Mode.FOCUS, Mode.PASTE, Mode.ALTERNATE_SCROLL);

    private final Display display;
    private final int columns;
    private final int rows;
    private final StringBuilder text = new StringBuilder(4096).append(BEGIN);
    private final Pen pen = new Pen();

    /** @param columns of the window */
    WindowDrawing(Display display, int columns, int rows) {
        this.display = display;
        this.columns = columns;
        this.rows = rows;
    }

    String draw() {
        Screen screen = display.shown();
        int top = Math.max(0, display.cursor.row - rows + 1);
        int shown = Math.min(rows, screen.rows.length - top);
        for (int row = 0; row < shown; row++) {
            moveTo(0, row);
            drawLine(screen.rows[top + row]);
        }
        if (shown < rows) {
            moveTo(0, shown);
            pen.become(text, 0, 0, 0);
            text.append(CSI).append('J');
        }
        pen.become(text, 0, 0, 0);
        drawModes(screen, top == 0);
        moveTo(Math.clamp(display.cursor.column, 0, Math.min(columns, display.columns) - 1), display.cursor.row - top);
        return text.append(CSI).append("?2026l").toString();
    }

    private void moveTo(int column, int row) {
        text.append(CSI).append(row + 1).append(';').append(column + 1).append('H');
    }

    private void drawLine(Line line) {
        int width = Math.min(columns, display.columns);
        int at = 0;
        while (at < Math.min(width, line.used())) {
            at += drawCell(line, at, width);
        }
        pen.become(text, 0, line.rest(), 0);
        if (at < width && line.rest() != 0) {
            text.append(" ".repeat(width - at));
            at = width;
        }
        // At the right edge it would erase the last character.
        if (at < columns) {
            pen.become(text, 0, 0, 0);
            text.append(CSI).append('K');
        }
    }

    /** @return how many columns it takes */
    private int drawCell(Line line, int at, int width) {
        int character = line.text(at);
        boolean wide = (character & Line.WIDE) != 0;
        if (character == 0 || (character & Line.TAIL) != 0 || (wide && at + 1 == width)) {
            pen.become(text, 0, line.back(at), 0);
            text.append(' ');
            return 1;
        }
        pen.become(text, line.front(at), line.back(at), line.under(at));
        text.append(display.clusters.text(character));
        return wide ? 2 : 1;
    }

    private void drawModes(Screen screen, boolean mouse) {
        for (Mode mode : OF_KEYS) {
            set(mode.number(), display.modes.contains(mode));
        }
        if (mouse && display.mouse > 0) {
            set(display.mouse, true);
        }
        if (mouse && display.mouseForm > 0) {
            set(display.mouseForm, true);
        }
        text.append(CSI).append('=').append(screen.keyboard.current()).append(";1u");
        text.append(CSI).append(">4;").append(display.otherKeys).append('m');
        set(Mode.CURSOR.number(), display.modes.contains(Mode.CURSOR));
    }

    private void set(int mode, boolean on) {
        text.append(CSI).append('?').append(mode).append(on ? 'h' : 'l');
    }
}
