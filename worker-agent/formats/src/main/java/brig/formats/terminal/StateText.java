package brig.formats.terminal;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A {@link Display} as text, for people and tests. Equal terminals give equal texts. */
final class StateText {
    /** Stands for an empty cell before others that are not. */
    private static final char EMPTY = '␀';

    private final Display display;

    StateText(Display display) {
        this.display = display;
    }

    String all() {
        List<String> lines = new ArrayList<>();
        lines.add("size " + display.columns + "x" + display.rows());
        lines.add("cursor " + cursor(display.cursor) + (display.printed ? " printed" : ""));
        lines.add("modes " + display.modes + (display.inserts ? " insert" : "") + (display.returns ? " newline" : ""));
        lines.add("mouse " + display.mouse + " " + display.mouseForm + " cursor " + display.cursorForm + " keys "
                + display.otherKeys);
        lines.add("tabs " + display.tabs.get(0, display.columns));
        lines.add("title " + display.title);
        add(lines, "main", display.main);
        if (display.showsAlternate()) {
            lines.add("row of the cursor on the main screen " + display.main.cursorRow);
            add(lines, "alternate", display.alternate);
        }
        return String.join("\n", lines);
    }

    private void add(List<String> lines, String name, Screen screen) {
        lines.add(name + " margins " + screen.top + " " + screen.bottom + " keyboard " + screen.keyboard + " saved "
                + cursor(screen.saved));
        screen.scrollback.forEach(line -> lines.add("- " + row(line)));
        lines.add(rows(screen));
    }

    private static String cursor(Cursor cursor) {
        return cursor.column + "," + cursor.row + " "
                + pen(cursor.pen.front, cursor.pen.back, cursor.pen.under) + " " + Arrays.toString(cursor.sets)
                + cursor.set;
    }

    private static String pen(int front, int back, int under) {
        StringBuilder text = new StringBuilder();
        Pen.append(text, front, back, under);
        return text.toString();
    }

    String rows(Screen screen) {
        List<String> lines = new ArrayList<>();
        for (Line row : screen.rows) {
            lines.add(row(row));
        }
        return String.join("\n", lines);
    }

    private String row(Line line) {
        int end = display.columns;
        while (end > 0 && line.isEmpty(end - 1) && line.back(end - 1) == 0) {
            end--;
        }
        StringBuilder text = new StringBuilder();
        String before = "0";
        for (int i = 0; i < end; i++) {
            String pen = pen(line.front(i), line.back(i), line.under(i));
            if (!pen.equals(before)) {
                text.append('⟦').append(pen).append('⟧');
                before = pen;
            }
            int character = line.text(i);
            if (character == 0) {
                text.append(EMPTY);
            } else if ((character & Line.TAIL) == 0) {
                text.append(display.clusters.text(character));
            }
        }
        return text.toString();
    }
}
