package brig.formats.terminal;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class WindowDrawingTest {
    private static final String ESC = "\u001b";
    private static final int COLUMNS = 20;
    private static final int ROWS = 6;
    private static final long SEED = 2026;

    private final TerminalModel model = model(COLUMNS, ROWS);

    private static TerminalModel model(int columns, int rows) {
        return new TerminalModel(columns, rows, answer -> {});
    }

    /** A window after such a drawing, as a person's terminal gets it. */
    private static TerminalModel window(int columns, int rows, String... drawings) {
        TerminalModel window = model(columns, rows);
        TerminalFilter filter = new TerminalFilter();
        StringBuilder passed = new StringBuilder(filter.fresh());
        for (String drawing : drawings) {
            filter.filter(drawing, passed);
        }
        window.write(passed);
        return window;
    }

    @Test
    void shouldShowTheUpperLeftCornerInASmallerWindow() {
        model.write("one two three\r\n" + ESC + "[1;31mred and more" + ESC + "[0m\r\n\u4e16\u754c\u4e16\u754c\r\n" + ESC
                + "[1;2H");
        TerminalModel window = window(7, 3, model.drawPart(7, 3));
        assertEquals(
                "one two\n⟦0;1;31⟧red and\n\u4e16\u754c\u4e16", window.screen().stripTrailing());
        assertTrue(window.state().contains("cursor 1,0 "), window.state());
    }

    @Test
    void shouldShowTheCursorsRowWhateverIsAboveIt() {
        model.write("1\r\n2\r\n3\r\n4\r\n5");
        assertEquals("4\n5", window(20, 2, model.drawPart(20, 2)).screen());
    }

    @Test
    void shouldShowAllOfItInALargerWindowAndNothingBeside() {
        model.write("one" + ESC + "[44m" + ESC + "[K" + ESC + "[0m\r\ntwo");
        TerminalModel window = window(30, 8, model.drawPart(30, 8));
        assertEquals("one⟦0;44⟧" + " ".repeat(17) + "\ntwo", window.screen().stripTrailing());
        assertFalse(window.state().contains("\n- "), window.state());
    }

    @Test
    void shouldPassOnTheModesOfKeysAndTheMouseWhereItPoints() {
        model.write(ESC + "[?1h" + ESC + "[?2004h" + ESC + "[?1003h" + ESC + "[?1006h" + ESC + "[>1u" + ESC + "[?25l");
        String state = window(10, 4, model.drawPart(10, 4)).state();
        assertTrue(state.contains("CURSOR_KEYS") && state.contains("PASTE") && !state.contains("CURSOR,"), state);
        assertTrue(state.contains("mouse 1003 1006"), state);
        model.write("\n\n\n\n\n");
        assertTrue(window(10, 4, model.drawPart(10, 4)).state().contains("mouse 0 0"), "the rows are others");
    }

    @ParameterizedTest
    @CsvSource({"20, 6", "7, 3", "1, 1", "40, 12", "20, 2", "3, 30"})
    void shouldNotDependOnWhatTheWindowShowedBefore(int columns, int rows) {
        Random random = new Random(SEED);
        RandomOutput output = new RandomOutput(random, COLUMNS, ROWS, false);
        for (int i = 0; i < 200; i++) {
            String before = model.drawPart(columns, rows);
            model.write(output.next(20));
            String now = model.drawPart(columns, rows);
            assertEquals(
                    window(columns, rows, now).screen(),
                    window(columns, rows, before, now).screen(),
                    "seed " + SEED + ", step " + i);
        }
    }

    @Test
    void shouldDrawTheScreenWithoutWhatWasScrolledOff() {
        model.write("1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8");
        TerminalModel again = window(COLUMNS, ROWS, model.drawScreen());
        assertEquals(model.screen(), again.screen());
        assertFalse(again.state().contains("\n- "), again.state());
    }

    @Test
    void shouldGiveTheTextOfAllRows() {
        model.write("1\r\n" + "x".repeat(25) + "\r\n" + ESC + "[31m3" + ESC + "[5C\u4e16" + ESC
                + "[0m\r\n4\r\n5\r\n6\r\n7\r\n\r\n");
        assertEquals(List.of("1", "x".repeat(25), "3     \u4e16", "4", "5", "6", "7"), model.lines());
        model.write(ESC + "[?1049h" + ESC + "[Halternate");
        assertEquals(List.of("alternate"), model.lines());
        assertEquals(List.of(), model(5, 5).lines());
    }
}
