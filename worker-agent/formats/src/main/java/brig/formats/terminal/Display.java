package brig.formats.terminal;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * What a terminal shows and remembers: two screens, the cursor, modes, tab stops. Its operations are those of ECMA-48 and
 * xterm. Where terminals differ, it does as xterm.js.
 */
final class Display {
    private static final int TAB = 8;
    /** Characters below take one column each. */
    private static final int NARROW = 0x300;

    private static final int UNKNOWN_CHARACTER = 0xfffd;

    int columns;
    final Screen main;
    final Screen alternate;
    final Cursor cursor = new Cursor();
    final Clusters clusters = new Clusters();
    final Set<Mode> modes = EnumSet.noneOf(Mode.class);
    final BitSet tabs = new BitSet();
    /** Text moves to the right where more is written. */
    boolean inserts;
    /** A new line begins in the first column. */
    boolean returns;
    /** The number of the mode that reports the mouse, and of that which says how; or 0. */
    int mouse;

    int mouseForm;
    int cursorForm;
    int otherKeys;
    String title = "";
    /** Whether the character before the cursor was the last of all output, so that it may be repeated. */
    boolean printed;

    private Screen shown;
    private boolean hasUsualTabs;

    Display(int columns, int rows) {
        this.columns = columns;
        main = new Screen(true, rows);
        alternate = new Screen(false, rows);
        shown = main;
        reset();
    }

    Screen shown() {
        return shown;
    }

    boolean showsAlternate() {
        return shown == alternate;
    }

    int rows() {
        return shown.rows.length;
    }

    Line line() {
        return shown.row(cursor.row);
    }

    /** RIS. */
    void reset() {
        shown = main;
        main.reset(0);
        alternate.reset(0);
        cursor.clear();
        modes.clear();
        for (Mode mode : Mode.values()) {
            if (mode.isUsual()) {
                modes.add(mode);
            }
        }
        if (!hasUsualTabs) {
            tabs.clear();
            addTabs(0);
            hasUsualTabs = true;
        }
        inserts = false;
        returns = false;
        mouse = 0;
        mouseForm = 0;
        cursorForm = 0;
        otherKeys = 0;
        title = "";
        printed = false;
    }

    /** DECSTR. */
    void resetSoftly() {
        modes.removeAll(Set.of(
                Mode.CURSOR_KEYS, Mode.KEYPAD, Mode.PASTE, Mode.ORIGIN, Mode.FOCUS, Mode.SYNCHRONIZED, Mode.REVERSE));
        modes.add(Mode.WRAP);
        modes.add(Mode.CURSOR);
        inserts = false;
        cursorForm = 0;
        shown.top = 0;
        shown.bottom = rows() - 1;
        cursor.pen.clear();
        cursor.resetSets();
        shown.saved.clear();
    }

    void resize(int newColumns, int newRows) {
        int row = main.resize(columns, newColumns, newRows, showsAlternate() ? main.cursorRow : cursor.row);
        int other = alternate.resize(columns, newColumns, newRows, showsAlternate() ? cursor.row : 0);
        main.cursorRow = showsAlternate() ? row : 0;
        cursor.row = showsAlternate() ? other : row;
        cursor.column = Math.min(cursor.column, newColumns - 1);
        tabs.clear(newColumns, Math.max(newColumns, columns));
        addTabs(columns);
        columns = newColumns;
        printed = false;
    }

    private void addTabs(int from) {
        for (int i = from + Math.floorMod(-from, TAB); i < TerminalModel.COLUMNS_MAX; i += TAB) {
            tabs.set(i);
        }
    }

    private int fill() {
        return cursor.pen.back;
    }

    // Text.

    void print(char[] text, int from, int to) {
        clusters.written(to - from);
        int at = from;
        while (at < to) {
            if (text[at] < NARROW && !inserts && cursor.isAscii()) {
                int end = at + 1;
                while (end < to && text[end] < NARROW) {
                    end++;
                }
                printNarrow(text, at, end);
                at = end;
            } else {
                int point = Character.codePointAt(text, at, to);
                at += Character.charCount(point);
                print(Character.getType(point) == Character.SURROGATE ? UNKNOWN_CHARACTER : point);
            }
        }
    }

    private void printNarrow(char[] text, int from, int to) {
        int at = from;
        while (at < to) {
            makeRoom(1);
            int end = at + Math.min(to - at, columns - cursor.column);
            line().put(cursor.column, text, at, end, cursor.pen, columns);
            cursor.column += end - at;
            at = end;
        }
        printed = true;
    }

    private void print(int point) {
        int character = cursor.isAscii() ? point : cursor.mapped(point);
        int width = CharacterWidth.of(character);
        if (width == 0) {
            join(character);
        } else {
            put(character, width == 2);
        }
    }

    private void put(int character, boolean wide) {
        int width = wide ? 2 : 1;
        printed = false;
        if (width > columns || !makeRoom(width)) {
            return;
        }
        if (inserts) {
            line().insert(cursor.column, width, fill(), columns);
        }
        line().put(cursor.column, character, wide, cursor.pen, columns);
        cursor.column += width;
        printed = !inserts;
    }

    /** Wraps if a character does not fit. @return whether it fits now */
    private boolean makeRoom(int width) {
        if (cursor.column + width <= columns) {
            return true;
        }
        if (!modes.contains(Mode.WRAP)) {
            cursor.column = columns - 1;
            return width == 1;
        }
        if (cursor.column < columns) {
            line().erase(cursor.column, columns, fill(), columns);
        }
        cursor.column = 0;
        advance();
        line().wrapped = true;
        return true;
    }

    /** A mark joins the character before it. */
    private void join(int mark) {
        int at = cursor.column - 1;
        if (at > 0 && (line().text(at) & Line.TAIL) != 0) {
            at--;
        }
        if (at >= 0 && !line().isEmpty(at)) {
            line().replace(at, clusters.join(line().text(at) & ~Line.WIDE, mark, each -> {
                main.forEach(each);
                alternate.forEach(each);
            }));
        }
    }

    /** REP. More than a row of them is not repeated: it would cost more than any program saves. */
    void repeat(int count) {
        int at = cursor.column - 1;
        if (!printed || at < 0) {
            return;
        }
        int head = (line().text(at) & Line.TAIL) != 0 ? at - 1 : at;
        int character = line().text(head) & ~Line.WIDE;
        boolean wide = head < at;
        int width = wide ? 2 : 1;
        int left = Math.min(count, columns);
        while (left > 0 && makeRoom(width)) {
            int fitting = Math.min(left, (columns - cursor.column) / width);
            line().repeat(cursor.column, character, wide, fitting, cursor.pen, columns);
            cursor.column += fitting * width;
            left -= fitting;
        }
        printed = left == 0;
    }

    // The cursor.

    /** To the next row, or scrolls. */
    private void advance() {
        if (cursor.row == shown.bottom) {
            shown.scroll(fill());
        } else if (cursor.row < rows() - 1) {
            cursor.row++;
        }
    }

    void feedLine() {
        boolean scrolls = cursor.row == shown.bottom;
        boolean last = cursor.row == rows() - 1;
        advance();
        if (!scrolls && !last) {
            line().wrapped = false;
        }
        cursor.column = returns ? 0 : Math.min(cursor.column, columns - 1);
    }

    /** IND. */
    void index() {
        cursor.column = Math.min(cursor.column, columns - 1);
        advance();
    }

    /** RI. */
    void reverseIndex() {
        cursor.column = Math.min(cursor.column, columns - 1);
        if (cursor.row == shown.top) {
            shown.rotateDown(shown.top, shown.bottom, 1, fill());
        } else if (cursor.row > 0) {
            cursor.row--;
        }
    }

    void backspace() {
        cursor.column = Math.max(0, Math.min(cursor.column, columns - 1) - 1);
    }

    /** To the next tab stops. */
    void tab(int count) {
        for (int i = 0; i < count && cursor.column < columns - 1; i++) {
            int next = tabs.nextSetBit(cursor.column + 1);
            cursor.column = next < 0 ? columns - 1 : Math.min(next, columns - 1);
        }
    }

    void tabBack(int count) {
        for (int i = 0; i < count && cursor.column > 0 && cursor.column < columns; i++) {
            cursor.column = Math.max(0, tabs.previousSetBit(cursor.column - 1));
        }
    }

    void setTab() {
        hasUsualTabs = false;
        tabs.set(Math.min(cursor.column, columns - 1));
    }

    void clearTabs(boolean all) {
        hasUsualTabs = false;
        if (all) {
            tabs.clear(0, columns);
        } else {
            tabs.clear(Math.min(cursor.column, columns - 1));
        }
    }

    /** To a column of the row, from 0. */
    void toColumn(int column) {
        cursor.column = Math.clamp(column, 0, columns - 1);
    }

    /** To a place, from 0, which counts from the top margin in origin mode. */
    void moveTo(int column, int row) {
        boolean origin = modes.contains(Mode.ORIGIN);
        int first = origin ? shown.top : 0;
        int last = origin ? shown.bottom : rows() - 1;
        cursor.row = Math.clamp((long) first + row, first, last);
        toColumn(column);
    }

    void moveToRow(int row) {
        moveTo(cursor.column, row);
    }

    /** The row, as {@link #moveTo} counts. */
    int row() {
        return cursor.row - (modes.contains(Mode.ORIGIN) ? shown.top : 0);
    }

    /** Up, but not across the top margin. */
    void up(int count) {
        toColumn(cursor.column);
        int least = cursor.row >= shown.top ? shown.top : 0;
        cursor.row = Math.max(least, cursor.row - count);
    }

    void down(int count) {
        toColumn(cursor.column);
        int most = cursor.row <= shown.bottom ? shown.bottom : rows() - 1;
        cursor.row = Math.min(most, cursor.row + count);
    }

    void right(int count) {
        toColumn(Math.min(cursor.column, columns - 1) + count);
    }

    void save() {
        shown.saved.copy(cursor);
        shown.saved.column = Math.min(cursor.column, columns - 1);
    }

    void restore() {
        cursor.copy(shown.saved);
        stayBetweenMargins();
    }

    /** In origin mode no place outside of the margins can be named. */
    private void stayBetweenMargins() {
        if (modes.contains(Mode.ORIGIN)) {
            cursor.row = Math.clamp(cursor.row, shown.top, shown.bottom);
        }
    }

    // Rows and cells.

    /** DECSTBM, from 1. */
    void setMargins(int first, int last) {
        int top = Math.max(1, first);
        int bottom = last == 0 || last > rows() ? rows() : last;
        if (bottom > top) {
            shown.top = top - 1;
            shown.bottom = bottom - 1;
            moveTo(0, 0);
        }
    }

    private boolean isBetweenMargins() {
        return cursor.row >= shown.top && cursor.row <= shown.bottom;
    }

    void insertLines(int count) {
        toColumn(cursor.column);
        if (isBetweenMargins()) {
            shown.rotateDown(cursor.row, shown.bottom, count, fill());
            cursor.column = 0;
        }
    }

    void deleteLines(int count) {
        toColumn(cursor.column);
        if (isBetweenMargins()) {
            shown.rotateUp(cursor.row, shown.bottom, count, fill());
            cursor.column = 0;
        }
    }

    void scrollUp(int count) {
        toColumn(cursor.column);
        shown.rotateUp(shown.top, shown.bottom, count, fill());
    }

    void scrollDown(int count) {
        toColumn(cursor.column);
        shown.rotateDown(shown.top, shown.bottom, count, 0);
    }

    void insertCells(int count) {
        toColumn(cursor.column);
        line().insert(cursor.column, count, fill(), columns);
    }

    void deleteCells(int count) {
        toColumn(cursor.column);
        line().delete(cursor.column, count, fill(), columns);
    }

    void eraseCells(int count) {
        toColumn(cursor.column);
        line().erase(cursor.column, cursor.column + count, fill(), columns);
    }

    /** EL. */
    void eraseInLine(int what) {
        Line line = line();
        switch (what) {
            case 0 -> {
                line.wrapped &= cursor.column > 0;
                line.erase(cursor.column, columns, fill(), columns);
            }
            case 1 -> line.erase(0, cursor.column + 1, fill(), columns);
            case 2 -> {
                line.wrapped = false;
                line.erase(0, columns, fill(), columns);
            }
            default -> {}
        }
    }

    /** ED. */
    void eraseInDisplay(int what) {
        switch (what) {
            case 0 -> {
                eraseInLine(0);
                shown.clear(cursor.row + 1, rows(), fill());
            }
            case 1 -> {
                line().wrapped = false;
                eraseInLine(1);
                if (cursor.column + 1 >= columns && cursor.row + 1 < rows()) {
                    shown.rows[cursor.row + 1].wrapped = false;
                }
                shown.clear(0, cursor.row, fill());
            }
            case 2 -> shown.clear(0, rows(), fill());
            case 3 -> shown.scrollback.clear();
            default -> {}
        }
    }

    // Screens.

    void showAlternate() {
        if (!showsAlternate()) {
            main.cursorRow = cursor.row;
            alternate.reset(fill());
            shown = alternate;
            cursor.column = Math.min(cursor.column, columns - 1);
        }
    }

    void showMain() {
        if (showsAlternate()) {
            shown = main;
            main.cursorRow = 0;
            cursor.column = Math.min(cursor.column, columns - 1);
            stayBetweenMargins();
        }
    }
}
