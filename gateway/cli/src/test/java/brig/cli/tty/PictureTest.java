package brig.cli.tty;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.formats.terminal.TerminalModel;
import brig.protocol.spawn.TerminalSize;
import org.junit.jupiter.api.Test;

class PictureTest {
    private static final String ESC = "\u001b";
    private static final TerminalSize SIZE = new TerminalSize(20, 6);
    private static final String OUTPUT = "one\r\ntwo " + ESC + "[31mred" + ESC + "[0m\r\n" + ESC + "[5;3Hat\u4e16\u754c"
            + ESC + "[?25l" + ESC + "[2;1H";

    private final ModelledWindow window = new ModelledWindow(SIZE.cols(), SIZE.rows());
    private final Picture picture = new Picture(SIZE, window);

    private static TerminalModel model(String output) {
        TerminalModel model = new TerminalModel(SIZE.cols(), SIZE.rows(), answer -> {});
        model.write(output);
        return model;
    }

    private static String screen(String output) {
        return model(output).state();
    }

    @Test
    void shouldShowWhatTheAgentWritesWhereverItIsCut() {
        for (int cut = 0; cut <= OUTPUT.length(); cut++) {
            picture.begin(SIZE, "");
            picture.write(OUTPUT.substring(0, cut));
            picture.flush();
            picture.write(OUTPUT.substring(cut));
            picture.flush();
            assertEquals(screen(OUTPUT), window.screen(), "cut at " + cut);
        }
    }

    @Test
    void shouldBeginWithACheckpointOnAUsedTerminal() {
        picture.begin(SIZE, "old " + ESC + "[?1049h" + ESC + "[3;5r" + ESC + "[7mold");
        picture.begin(SIZE, model(OUTPUT).draw());
        assertEquals(screen(OUTPUT), window.screen());
        picture.write("more");
        picture.flush();
        assertEquals(screen(OUTPUT + "more"), window.screen());
    }

    @Test
    void shouldRedrawWhatAnotherProgramWroteOverAlsoWithinASequence() {
        for (int cut = 0; cut <= OUTPUT.length(); cut++) {
            picture.begin(SIZE, "");
            picture.write(OUTPUT.substring(0, cut));
            picture.flush();
            window.spoil();
            picture.redraw();
            picture.write(OUTPUT.substring(cut));
            picture.flush();
            assertEquals(screen(OUTPUT), window.screen(), "cut at " + cut);
        }
    }

    @Test
    void shouldShowAPartInASmallerWindowAndAllOfItInALargerOne() {
        TerminalSize small = new TerminalSize(8, 3);
        picture.begin(SIZE, "");
        window.resize(small.cols(), small.rows());
        picture.resizeWindow(small);
        assertFalse(picture.isWhole());
        picture.write("one and more\r\ntwo and more\r\n" + ESC + "[1;1H");
        picture.flush();
        assertTrue(window.screen().contains("one and "), window.screen());
        assertFalse(window.screen().contains("one and m"), window.screen());
        window.resize(40, 10);
        picture.resizeWindow(new TerminalSize(40, 10));
        assertTrue(window.screen().contains("one and more"), window.screen());
        // The agent's terminal takes that size.
        picture.resizeSession(new TerminalSize(40, 10));
        assertTrue(picture.isWhole());
        picture.write(ESC + "[10;38Hend");
        picture.flush();
        assertTrue(window.screen().contains("end"), window.screen());
    }

    @Test
    void shouldLetNothingThroughThatDoesNotDraw() {
        picture.begin(SIZE, "");
        String before = window.screen();
        picture.write(ESC + "[6n" + ESC + "]52;c;cm0=\u0007" + ESC + "]0;title\u0007" + ESC + "[c");
        picture.flush();
        assertEquals(before, window.screen());
        picture.write("x");
        picture.flush();
        assertNotEquals(before, window.screen());
    }
}
