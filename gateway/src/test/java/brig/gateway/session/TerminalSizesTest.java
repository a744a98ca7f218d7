package brig.gateway.session;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.spawn.TerminalSize;
import org.junit.jupiter.api.Test;

class TerminalSizesTest {
    private final TerminalSizes sizes = new TerminalSizes();

    private String last() {
        return news(false);
    }

    private String news(boolean smallest) {
        return sizes.news(smallest).map(size -> size.cols() + "x" + size.rows()).orElse("same");
    }

    private void resize(String connection, int cols, int rows) {
        sizes.resize(connection, new TerminalSize(cols, rows));
    }

    @Test
    void shouldHaveTheNewestSizeWhileNobodyTyped() {
        assertEquals("same", last());
        resize("a", 80, 24);
        assertEquals("80x24", last());
        resize("b", 120, 40);
        assertEquals("120x40", last());
        resize("a", 81, 25);
        assertEquals("81x25", last());
        resize("a", 81, 25);
        assertEquals("same", last());
    }

    @Test
    void shouldHaveTheSizeOfWhoTypedLast() {
        resize("a", 80, 24);
        resize("b", 120, 40);
        assertEquals("120x40", last());
        sizes.type("a");
        assertEquals("80x24", last());
        resize("b", 100, 30);
        assertEquals("same", last());
        resize("a", 90, 25);
        assertEquals("90x25", last());
        sizes.type("b");
        assertEquals("100x30", last());
        sizes.type("of no size");
        assertEquals("same", last());
    }

    @Test
    void shouldForgetASizeWithItsConnection() {
        resize("a", 80, 24);
        resize("b", 120, 40);
        sizes.type("a");
        assertEquals("80x24", last());
        sizes.leave("a");
        assertEquals("120x40", last());
        sizes.leave("b");
        assertEquals("same", last());
    }

    @Test
    void shouldHaveTheSmallestInBothDirections() {
        resize("a", 80, 40);
        assertEquals("80x40", news(true));
        resize("b", 120, 24);
        assertEquals("80x24", news(true));
        sizes.type("b");
        assertEquals("same", news(true));
        sizes.leave("a");
        assertEquals("120x24", news(true));
    }
}
