package brig.formats.terminal;

import java.util.ArrayDeque;
import java.util.function.Consumer;

/** The main or the alternate screen: rows, margins, the saved cursor; of the main one also what was scrolled off it. */
final class Screen {
    static final int SCROLLBACK_MAX = 1_000;

    private final boolean remembers;
    final ArrayDeque<Line> scrollback = new ArrayDeque<>();
    final KeyboardFlags keyboard = new KeyboardFlags();
    final Cursor saved = new Cursor();
    Line[] rows;
    /** The first and the last row that scroll. */
    int top;

    int bottom;
    /** Where the cursor was when the other screen was shown. */
    int cursorRow;
    /** All other rows than these are empty, and have this background: whatever empties a screen need not look at them. */
    private int firstUsed;

    private int lastUsed = -1;
    private int blank;

    /** @param remembers whether rows that scroll off the top are kept */
    Screen(boolean remembers, int count) {
        this.remembers = remembers;
        rows = new Line[count];
        for (int i = 0; i < count; i++) {
            rows[i] = new Line();
        }
        bottom = count - 1;
        firstUsed = count;
    }

    /** A row that something is written to. */
    Line row(int at) {
        use(at, at);
        return rows[at];
    }

    private void use(int from, int to) {
        firstUsed = Math.min(firstUsed, from);
        lastUsed = Math.max(lastUsed, to);
    }

    /** Whether rows are empty, with that background. */
    private boolean areBlank(int from, int to, int fill) {
        return (fill & Pen.COLOUR) == blank && (to < firstUsed || from > lastUsed);
    }

    /** As it was at first. */
    void reset(int fill) {
        clear(0, rows.length, fill);
        scrollback.clear();
        keyboard.clear();
        saved.clear();
        top = 0;
        bottom = rows.length - 1;
        cursorRow = 0;
    }

    void forEach(Consumer<Line> each) {
        scrollback.forEach(each);
        for (Line row : rows) {
            each.accept(row);
        }
    }

    /** The text moves up by one row; where the margin is the top of the screen, the first row is remembered. */
    void scroll(int fill) {
        use(top, (fill & Pen.COLOUR) == blank ? top : bottom);
        Line lost = top == 0 && remembers ? remember(rows[0]) : rows[top];
        System.arraycopy(rows, top + 1, rows, top, bottom - top);
        lost.clear(fill);
        rows[bottom] = lost;
    }

    /** @return a row that nobody needs */
    private Line remember(Line line) {
        line.compact();
        scrollback.add(line);
        return scrollback.size() > SCROLLBACK_MAX ? scrollback.remove() : new Line();
    }

    /** Rows move up, those at the top are lost. */
    void rotateUp(int from, int to, int count, int fill) {
        if (areBlank(from, to, fill)) {
            return;
        }
        int height = to - from + 1;
        int lost = Math.min(count, height);
        if (lost == height) {
            clear(from, to + 1, fill);
            return;
        }
        use(from, to);
        Line[] kept = new Line[lost];
        System.arraycopy(rows, from, kept, 0, lost);
        System.arraycopy(rows, from + lost, rows, from, height - lost);
        System.arraycopy(kept, 0, rows, to + 1 - lost, lost);
        clear(to + 1 - lost, to + 1, fill);
    }

    /** Rows move down, those at the bottom are lost. */
    void rotateDown(int from, int to, int count, int fill) {
        if (areBlank(from, to, fill)) {
            return;
        }
        int height = to - from + 1;
        int lost = Math.min(count, height);
        if (lost == height) {
            clear(from, to + 1, fill);
            return;
        }
        use(from, to);
        Line[] kept = new Line[lost];
        System.arraycopy(rows, to + 1 - lost, kept, 0, lost);
        System.arraycopy(rows, from, rows, from + lost, height - lost);
        System.arraycopy(kept, 0, rows, from, lost);
        clear(from, from + lost, fill);
    }

    void clear(int from, int to, int fill) {
        boolean isBlank = (fill & Pen.COLOUR) == blank;
        int end = isBlank ? Math.min(to, lastUsed + 1) : to;
        for (int i = isBlank ? Math.max(from, firstUsed) : from; i < end; i++) {
            rows[i].clear(fill);
        }
        if (from == 0 && to == rows.length) {
            blank = fill & Pen.COLOUR;
            firstUsed = rows.length;
            lastUsed = -1;
        } else if (!isBlank && from < to) {
            use(from, to - 1);
        } else if (from <= firstUsed) {
            firstUsed = Math.max(firstUsed, to);
        } else if (to > lastUsed) {
            lastUsed = Math.min(lastUsed, from - 1);
        }
    }

    /**
     * The terminal has another size. Rows below the cursor go first, then those at the top; new ones come from what was
     * scrolled off if the cursor is in the last row.
     *
     * @return the row of the cursor
     */
    int resize(int columnsBefore, int columns, int count, int cursor) {
        Line[] before = rows;
        int at = cursor;
        int first = 0;
        if (count < before.length) {
            first = Math.max(0, at - count + 1);
            for (int i = 0; i < first && remembers; i++) {
                remember(before[i]);
            }
        }
        Line[] after = new Line[count];
        int pulled = count > before.length && at == before.length - 1
                ? Math.min(count - before.length, scrollback.size())
                : 0;
        for (int i = pulled - 1; i >= 0; i--) {
            after[i] = scrollback.removeLast();
        }
        for (int i = pulled; i < count; i++) {
            int from = first + i - pulled;
            after[i] = from < before.length ? before[from] : new Line();
        }
        rows = after;
        use(0, count - 1);
        lastUsed = count - 1;
        top = 0;
        bottom = count - 1;
        int shift = pulled - first;
        saved.row = Math.clamp(saved.row + shift, 0, count - 1);
        saved.column = Math.min(saved.column, columns - 1);
        forEach(line -> line.resize(columnsBefore, columns));
        return Math.clamp(at + shift, 0, count - 1);
    }
}
