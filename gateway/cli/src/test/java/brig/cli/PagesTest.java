package brig.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.cli.terminal.TypedKey;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class PagesTest {
    private final Pages pages = new Pages(
            "Changes", IntStream.rangeClosed(1, 30).mapToObj(i -> "line " + i).toList(), false);

    private List<String> screen() {
        return pages.lines(10).stream().map(Object::toString).toList();
    }

    private boolean press(String typed) {
        return pages.press(TypedKey.read(typed).getFirst());
    }

    @Test
    void shouldMoveByLinesAndPages() {
        assertEquals("line 1", screen().get(1));
        assertTrue(press("j") && press("\u001b[B"));
        assertEquals("line 3", screen().get(1));
        press(" ");
        assertEquals("line 10", screen().get(1));
        press("\u001b[F");
        assertEquals("line 24", screen().get(1));
        assertEquals(10, screen().size());
        assertTrue(screen().getLast().startsWith("lines 24 to 30 of 30"));
        press("\u001b[H");
        press("k");
        assertEquals("line 1", screen().get(1));
    }

    @Test
    void shouldEndWithQAndEscape() {
        assertFalse(press("q"));
        assertFalse(press("\u001b"));
        assertFalse(press("\u0003"));
    }

    @Test
    void shouldShowHostileLinesAsText() {
        Pages hostile = new Pages("\u001b[2J", List.of("+\u001b]0;x\u0007\ty"), false);
        assertEquals("+ ]0;x     y", hostile.lines(5).get(1).toString());
    }
}
