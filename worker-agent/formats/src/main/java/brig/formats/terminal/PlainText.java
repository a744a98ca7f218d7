package brig.formats.terminal;

import java.util.ArrayList;
import java.util.List;

/** The letters of a {@link Display}, line by line: what was scrolled off, and what is shown. */
final class PlainText {
    private final Display display;

    PlainText(Display display) {
        this.display = display;
    }

    /** Without empty lines at the end. Rows that wrapped are one line. */
    List<String> lines() {
        List<Line> rows = new ArrayList<>(display.shown().scrollback);
        rows.addAll(List.of(display.shown().rows));
        List<StringBuilder> lines = new ArrayList<>();
        for (Line row : rows) {
            if (lines.isEmpty() || !row.wrapped) {
                lines.add(new StringBuilder());
            }
            append(row, lines.getLast());
        }
        List<String> texts = new ArrayList<>(
                lines.stream().map(line -> line.toString().stripTrailing()).toList());
        while (!texts.isEmpty() && texts.getLast().isEmpty()) {
            texts.removeLast();
        }
        return texts;
    }

    private void append(Line row, StringBuilder line) {
        for (int i = 0; i < row.used(); i++) {
            int character = row.text(i);
            if (character == 0) {
                line.append(' ');
            } else if ((character & Line.TAIL) == 0) {
                line.append(display.clusters.text(character));
            }
        }
    }
}
