package brig.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class ProgressTest {
    private final Progress progress = new Progress(new Position("e", 5));

    private static Frame frame(String fields) {
        return new Frame(Json.object(("{" + fields + "}").replace('\'', '"').getBytes(StandardCharsets.UTF_8)));
    }

    private static Frame chunk(String fields) {
        return frame("'type':'chunk'," + fields);
    }

    private void assertRefuses(String code, Frame frame) {
        assertEquals(
                code,
                assertThrows(BrigException.class, () -> progress.admit(frame)).code());
        assertEquals(5, progress.next());
    }

    @Test
    void shouldAdmitWhatIsDueAndNothingTwice() {
        assertFalse(progress.admit(chunk("'seq':4")));
        assertTrue(progress.admit(chunk("'seq':5")));
        assertFalse(progress.admit(chunk("'seq':5")));
        assertTrue(progress.admit(chunk("'from':6,'seq':9")));
        assertFalse(progress.admit(chunk("'from':8,'seq':9")));
        assertEquals(new Position("e", 10), progress.position());
    }

    @Test
    void shouldRefuseNumbersThatAreNone() {
        for (String seq : new String[] {"'5'", "5.5", "true", "[]", "-5"}) {
            assertRefuses("PROTOCOL_VIOLATION", chunk("'seq':" + seq));
        }
        assertRefuses("PROTOCOL_VIOLATION", chunk("'from':6,'seq':5"));
        assertRefuses("PROTOCOL_VIOLATION", chunk("'from':4,'seq':5"));
        assertRefuses("PROTOCOL_VIOLATION", frame("'type':'gap'"));
        assertRefuses("PROTOCOL_VIOLATION", frame("'type':'gap','from':9,'to':5"));
        assertRefuses("PROTOCOL_VIOLATION", frame("'type':'gap','from':5,'to':'9'"));
    }

    @Test
    void shouldFindFramesThatAreMissing() {
        assertRefuses("FRAMES_LOST", chunk("'seq':6"));
        assertRefuses("FRAMES_LOST", chunk("'from':6,'seq':9"));
        assertRefuses("FRAMES_LOST", frame("'type':'gap','from':6,'to':9"));
    }

    @Test
    void shouldGoOnBehindAGap() {
        assertTrue(progress.admit(frame("'type':'gap','from':5,'to':8,'reason':'evicted'")));
        assertFalse(progress.admit(frame("'type':'gap','from':2,'to':8,'reason':'evicted'")));
        assertEquals(9, progress.next());
    }

    @Test
    void shouldBeginAnewWhereTheStreamDid() {
        assertNull(progress.enter(frame("'epoch':'e','from':5")));
        Frame gap = progress.enter(frame("'epoch':'f','from':1"));
        assertEquals("epoch_changed", gap == null ? "" : gap.text("reason"));
        assertEquals(new Position("f", 1), progress.position());
        assertTrue(progress.admit(frame("'type':'gap','from':1,'to':9,'reason':'epoch_changed','epoch':'g'")));
        assertEquals(new Position("g", 1), progress.position());
        assertThrows(BrigException.class, () -> progress.enter(frame("'epoch':5,'from':1")));
        assertThrows(BrigException.class, () -> progress.enter(frame("'epoch':'e'")));
    }

    @Test
    void shouldKnowTheLastFrame() {
        assertTrue(progress.admit(frame("'type':'state','state':'terminated'")));
        assertFalse(progress.isAtEnd());
        assertTrue(progress.admit(frame("'type':'state','seq':5,'state':'terminated'")));
        assertTrue(progress.isAtEnd());
    }
}
