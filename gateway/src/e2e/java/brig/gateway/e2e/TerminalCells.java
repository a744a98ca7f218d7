package brig.gateway.e2e;

import brig.formats.terminal.TerminalModel;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Every cell of a terminal, in the words of {@link TerminalModel#state}: two terminals that show the same are equal.
 *
 * @param main what was scrolled off, and the rows of the main screen
 * @param alternate the rows of the other one, where that is shown
 */
record TerminalCells(String size, String cursor, List<String> main, List<String> alternate) {
    static TerminalCells of(TerminalModel model) {
        String size = "";
        String cursor = "";
        List<String> main = new ArrayList<>();
        List<String> alternate = new ArrayList<>();
        @Nullable List<String> rows = null;
        for (String line : model.state().split("\n", -1)) {
            if (line.startsWith("size ")) {
                size = line.substring(5);
            } else if (rows == null && line.startsWith("cursor ")) {
                cursor = line.substring(7, line.indexOf(' ', 7));
            } else if (line.startsWith("main margins ")) {
                rows = main;
            } else if (line.startsWith("row of the cursor on the main screen ")) {
                rows = null;
            } else if (line.startsWith("alternate margins ")) {
                rows = alternate;
            } else if (rows != null) {
                rows.add(line.startsWith("- ") ? line.substring(2) : line);
            }
        }
        return new TerminalCells(size, cursor, main, alternate);
    }

    /** The text of the screen alone, without colours. */
    String text() {
        List<String> rows = alternate.isEmpty() ? main : alternate;
        return String.join("\n", rows).replaceAll("⟦[^⟧]*⟧", "").replace('\u2400', ' ');
    }

    /** What a terminal has that gets the frames of a session up to that one, from where the connection begins. */
    static TerminalModel after(Wire wire, long last) throws IOException {
        JsonObject welcome = wire.message();
        if (!welcome.text("type", "").equals("authenticated")) {
            throw new AssertionError(welcome.toString());
        }
        return read(wire, last);
    }

    private static TerminalModel read(Wire wire, long last) throws IOException {
        TerminalModel model = null;
        boolean drawn = false;
        for (long seq = 0; seq < last; ) {
            JsonObject frame = wire.message();
            seq = frame.number("seq", seq);
            int cols = (int) frame.number("cols", 0);
            int rows = (int) frame.number("rows", 0);
            String type = frame.text("type", "");
            if (type.equals("tty") && model != null) {
                model.resize(cols, rows);
            } else if (type.equals("tty")) {
                model = new TerminalModel(cols, rows, answer -> {});
                drawn = true;
            } else if (type.equals("screen") && !drawn) {
                model = model == null ? new TerminalModel(cols, rows, answer -> {}) : model;
                model.write(frame.text("content", ""));
                drawn = !frame.flag("more");
            } else if (frame.text("stream", "").equals("tty") && model != null) {
                model.write(frame.text("content", ""));
            }
        }
        if (model == null) {
            throw new AssertionError("no terminal up to frame " + last);
        }
        return model;
    }

    /** What somebody sees who comes now, at the newest checkpoint. */
    static TerminalCells ofJoiner(Spawned spawned) throws IOException {
        return joined(spawned, "\"screen\"");
    }

    /** The same for somebody who reads all frames. */
    static TerminalCells ofReader(Spawned spawned) throws IOException {
        return joined(spawned, "1");
    }

    private static TerminalCells joined(Spawned spawned, String from) throws IOException {
        long last = spawned.view().number("last_seq", 0);
        try (Wire wire = Wire.unix(spawned.socket())) {
            wire.sendLine("{\"auth\":\"" + spawned.watcherToken() + "\",\"from\":" + from + "}");
            return of(after(wire, last));
        }
    }

    /** Waits until the page shows what one sees who comes now, and one who has read all. */
    static TerminalCells awaitSame(PageTerminal page, Spawned spawned, Predicate<TerminalCells> isSo)
            throws IOException {
        TerminalCells[] seen = new TerminalCells[3];
        try {
            Await.until("every cell is the same on the page and for who comes now", () -> {
                seen[0] = page.cells();
                seen[1] = ofJoiner(spawned);
                seen[2] = ofReader(spawned);
                return seen[0].equals(seen[1]) && seen[1].equals(seen[2]) && isSo.test(seen[0]);
            });
        } catch (AssertionError late) {
            throw new AssertionError("page\n" + seen[0] + "\njoiner\n" + seen[1] + "\nreader\n" + seen[2], late);
        }
        return seen[0];
    }
}
