package brig.gateway.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** How far a client may be behind with what it was sent. */
class WindowTest {
    private final Window window = new Window(1600);

    @Test
    void shouldBeClosedWhileTooMuchIsNotAcknowledged() {
        window.handleWritten(10, 1599);
        assertTrue(window.isOpen());
        window.handleWritten(11, 5000);
        assertFalse(window.isOpen());
        window.handleAck(10);
        assertFalse(window.isOpen(), "the frame that was too much is still to come");
        window.handleAck(11);
        assertTrue(window.isOpen());
    }

    @Test
    void shouldTakeNoNoticeOfWhatIsOldOrWasNeverSent() {
        window.handleWritten(5, 2000);
        window.handleAck(4);
        assertFalse(window.isOpen());
        window.handleAck(1_000_000);
        window.handleAck(3);
        assertTrue(window.isOpen());
    }

    @Test
    void shouldNoteManySmallFramesInFewPieces() {
        int written = 0;
        for (int seq = 1; window.isOpen(); seq++) {
            window.handleWritten(seq, 1);
            written++;
        }
        assertEquals(1600, written);
        window.handleAck(99);
        assertFalse(window.isOpen(), "half a piece is none");
        window.handleAck(100);
        assertTrue(window.isOpen());
    }
}
