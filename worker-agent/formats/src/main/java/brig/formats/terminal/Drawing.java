package brig.formats.terminal;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The sequences that make a fresh terminal equal to a {@link Display}. All of them pass {@link TerminalFilter}, but the
 * title.
 *
 * <p>Rows follow each other as they were written: what wrapped wraps again, so a terminal can copy it as one line. Of a
 * scrollback that takes more than a megabyte the oldest rows are left out.
 */
final class Drawing {
    private static final String CSI = "\u001b[";
    private static final String ESC = "\u001b";
    private static final int SCROLLBACK_CHARS_MAX = 1 << 20;
    /** The longest SGR for colours. */
    private static final int PEN_CHARS = 40;

    private final Display display;
    private final boolean withScrollback;
    private final int charsMax;
    private final StringBuilder text = new StringBuilder(4096);
    /** The state of the terminal that is drawn on. */
    private final Cursor drawn = new Cursor();

    /** @param charsMax the greatest length of interest */
    Drawing(Display display, boolean withScrollback, int charsMax) {
        this.display = display;
        this.withScrollback = withScrollback;
        this.charsMax = charsMax;
    }

    /** @return null if it would be longer */
    @Nullable
    String draw() {
        Screen main = display.main;
        List<Line> lines = withScrollback ? scrollback() : new ArrayList<>();
        lines.addAll(List.of(main.rows));
        drawScreen(main, lines);
        if (display.showsAlternate()) {
            become(new Cursor());
            moveTo(0, main.cursorRow);
            text.append(CSI)
                    .append("?1047h")
                    .append(CSI)
                    .append('r')
                    .append(CSI)
                    .append('H');
            drawScreen(display.alternate, List.of(display.alternate.rows));
        }
        drawTabs();
        drawModes();
        drawCursor();
        return text.length() > charsMax ? null : text.toString();
    }

    private List<Line> scrollback() {
        List<Line> newest = new ArrayList<>();
        int chars = 0;
        for (Iterator<Line> each = display.main.scrollback.descendingIterator(); each.hasNext(); ) {
            Line line = each.next();
            chars += cost(line);
            if (chars > SCROLLBACK_CHARS_MAX) {
                break;
            }
            newest.add(line);
        }
        return newest.reversed();
    }

    private static int cost(Line line) {
        int cost = line.used() + 2;
        for (int i = 1; i < line.used(); i++) {
            if (line.front(i) != line.front(i - 1) || line.back(i) != line.back(i - 1)) {
                cost += PEN_CHARS;
            }
        }
        return cost;
    }

    private void drawScreen(Screen screen, List<Line> lines) {
        Line before = null;
        for (Line line : lines) {
            if (text.length() > charsMax) {
                return;
            }
            boolean joined = before != null && isJoined(before, line);
            if (before != null && !joined) {
                drawn.pen.become(text, 0, 0, 0);
                text.append("\r\n");
            }
            drawLine(line, joined ? line.back(0) & Pen.COLOUR : 0);
            before = line;
        }
        screen.keyboard.draw(text);
        if (!screen.saved.isUsual()) {
            moveTo(screen.saved.column, screen.saved.row);
            become(screen.saved);
            text.append(ESC).append('7');
        }
        if (screen.top > 0 || screen.bottom < screen.rows.length - 1) {
            text.append(CSI)
                    .append(screen.top + 1)
                    .append(';')
                    .append(screen.bottom + 1)
                    .append('r');
        }
    }

    /** Whether the row goes on with the text of the one before, so that it can be written on. */
    private boolean isJoined(Line before, Line line) {
        return line.wrapped && !before.isEmpty(display.columns - 1) && !line.isEmpty(0);
    }

    /** @param ground the background that the row got when the one before wrapped */
    private void drawLine(Line line, int ground) {
        int at = 0;
        while (at < line.used()) {
            at = line.isEmpty(at) ? drawEmpty(line, at, ground) : drawCharacter(line, at);
        }
        if (line.used() < display.columns && (line.rest() | ground) != 0) {
            drawn.pen.become(text, 0, line.rest(), 0);
            text.append(CSI).append('K');
        }
    }

    private int drawEmpty(Line line, int from, int ground) {
        int end = from + 1;
        while (end < line.used() && line.isEmpty(end) && line.back(end) == line.back(from)) {
            end++;
        }
        if ((line.back(from) | ground) != 0) {
            drawn.pen.become(text, 0, line.back(from), 0);
            text.append(CSI).append(end - from).append('X');
        }
        text.append(CSI).append(end - from).append('C');
        return end;
    }

    private int drawCharacter(Line line, int at) {
        int character = line.text(at);
        drawn.pen.become(text, line.front(at), line.back(at), line.under(at));
        if ((character & Line.CLUSTER) == 0) {
            text.appendCodePoint(character & Line.POINT);
        } else {
            text.append(display.clusters.text(character));
        }
        return (character & Line.WIDE) != 0 ? at + 2 : at + 1;
    }

    private void moveTo(int column, int row) {
        text.append(CSI).append(row + 1).append(';').append(column + 1).append('H');
    }

    /** Takes over colours and character sets. */
    private void become(Cursor cursor) {
        drawn.pen.become(text, cursor.pen.front, cursor.pen.back, cursor.pen.under);
        for (int i = 0; i < drawn.sets.length; i++) {
            if (drawn.sets[i] != cursor.sets[i]) {
                text.append(ESC).append((char) ('(' + i)).append(cursor.sets[i]);
            }
        }
        if (drawn.set != cursor.set) {
            text.append(List.of("\u000f", "\u000e", ESC + "n", ESC + "o").get(cursor.set));
        }
        drawn.copy(cursor);
    }

    private void drawTabs() {
        BitSet usual = new Display(display.columns, 1).tabs;
        if (usual.equals(display.tabs)) {
            return;
        }
        text.append(CSI).append("3g");
        display.tabs.stream().filter(tab -> tab < display.columns).forEach(tab -> {
            moveTo(tab, 0);
            text.append(ESC).append('H');
        });
    }

    private void drawModes() {
        if (!display.title.isEmpty()) {
            text.append(ESC).append("]2;").append(display.title).append(ESC).append('\\');
        }
        for (Mode mode : Mode.values()) {
            if (display.modes.contains(mode) != mode.isUsual()) {
                text.append(CSI).append('?').append(mode.number()).append(mode.isUsual() ? 'l' : 'h');
            }
        }
        for (int mode : new int[] {display.mouse, display.mouseForm}) {
            if (mode > 0) {
                text.append(CSI).append('?').append(mode).append('h');
            }
        }
        text.append(display.returns ? CSI + "20h" : "");
        if (display.cursorForm > 0) {
            text.append(CSI).append(display.cursorForm).append(" q");
        }
        if (display.otherKeys > 0) {
            text.append(CSI).append(">4;").append(display.otherKeys).append('m');
        }
    }

    /** A cursor that waits to wrap is put there by writing the character before it once more. */
    private void drawCursor() {
        Cursor cursor = display.cursor;
        Line line = display.line();
        int before = Math.max(0, cursor.column - 1);
        int head = (line.text(before) & Line.TAIL) != 0 ? before - 1 : before;
        boolean waits = cursor.column == display.columns;
        if (display.printed) {
            become(cursor);
            moveTo(head, display.row());
            drawCharacter(line, head);
        } else if (waits && line.isEmpty(head)) {
            moveTo(head, display.row());
            text.append(' ');
            drawn.pen.become(text, 0, line.rest(), 0);
            text.append(CSI).append("2K");
        } else if (waits) {
            become(new Cursor());
            moveTo(head, display.row());
            drawCharacter(line, head);
            // Selects what is selected already: REP would repeat the character otherwise.
            text.append(CSI);
            Pen.append(text, drawn.pen.front, drawn.pen.back, drawn.pen.under);
            text.append('m');
        } else {
            moveTo(cursor.column, display.row());
        }
        if (!display.printed) {
            become(cursor);
            text.append(display.inserts ? CSI + "4h" : "");
        }
    }
}
