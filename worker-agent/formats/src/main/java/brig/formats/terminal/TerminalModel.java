package brig.formats.terminal;

import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A terminal without a window: takes what an agent writes to it, and knows what is on its screens. It is that of
 * {@code TERM=xterm-256color} with colours of 24 bits, and does as xterm.js where terminals differ. It answers what agents
 * ask, so that no terminal of a person has to.
 *
 * <p>A change of size cuts rows, or makes them longer, and does not break lines anew: an agent that has a terminal draws
 * again what it shows.
 *
 * <p>All memory is bounded, whatever comes: by the size, by 1,000 rows that were scrolled off the main screen, and by a few
 * hundred kilobytes for all else. Time is bounded too: nothing costs more than a row for each character of output, so no
 * short sequence costs much. Not thread-safe.
 *
 * <p>Decision 0185.
 */
public final class TerminalModel {
    public static final int COLUMNS_MAX = 1_000;
    public static final int ROWS_MAX = 500;

    private static final int PIECE = 8_192;

    private final Display display;
    private final SequenceParser parser;
    private final char[] piece = new char[PIECE];

    /**
     * @param columns 1 to {@link #COLUMNS_MAX}; what is beyond counts as the bound
     * @param rows 1 to {@link #ROWS_MAX}
     * @param answers takes what the terminal answers to questions, as input for the agent, during {@link #write}
     */
    public TerminalModel(int columns, int rows, Consumer<String> answers) {
        display = new Display(Math.clamp(columns, 1, COLUMNS_MAX), Math.clamp(rows, 1, ROWS_MAX));
        parser = new SequenceParser(new Functions(display, new Answers(display, answers)));
    }

    /** Takes output; it may be cut anywhere, also within a character or a sequence. */
    public void write(CharSequence text) {
        String all = text.toString();
        for (int i = 0; i < all.length(); i += PIECE) {
            int end = Math.min(all.length(), i + PIECE);
            all.getChars(i, end, piece, 0);
            parser.parse(piece, 0, end - i);
        }
    }

    /** The terminal has another size. */
    public void resize(int columns, int rows) {
        display.resize(Math.clamp(columns, 1, COLUMNS_MAX), Math.clamp(rows, 1, ROWS_MAX));
    }

    /** Whether the output so far ends neither within a sequence nor within a character: only then {@link #draw} tells all. */
    public boolean isGround() {
        return parser.isGround();
    }

    /** Sequences that make a fresh terminal of this size equal to this one. */
    public String draw() {
        return String.valueOf(draw(Integer.MAX_VALUE));
    }

    /** The same, or null if it would be longer: a large screen whose cells all have colours of their own. */
    public @Nullable String draw(int charsMax) {
        return new Drawing(display, true, charsMax).draw();
    }

    /** The same without what was scrolled off, for a terminal that has shown that already. */
    public String drawScreen() {
        return String.valueOf(new Drawing(display, false, Integer.MAX_VALUE).draw());
    }

    /**
     * Sequences that show as much as has room in a window of another size, which is fresh or shows the same already. It also gets
     * the modes of keys and mouse.
     */
    public String drawPart(int columns, int rows) {
        return new WindowDrawing(display, columns, rows).draw();
    }

    /** The text of what was scrolled off and of what is shown, without empty lines at its end. */
    public List<String> lines() {
        return new PlainText(display).lines();
    }

    /** All that this terminal has, as text for people and tests: two terminals are equal if these are. */
    public String state() {
        return new StateText(display).all();
    }

    /** What is on the screen, a line for each row: its text, with the parameters of SGR in brackets where they change. */
    public String screen() {
        return new StateText(display).rows(display.shown());
    }

    /** The title that the agent gave; control characters are left out. */
    public String title() {
        return display.title;
    }

    public int columns() {
        return display.columns;
    }

    public int rows() {
        return display.rows();
    }
}
