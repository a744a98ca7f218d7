package brig.workeragent.tunnel.commands;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import org.junit.jupiter.api.Test;

class MarkedStreamTest {
    private static final String MARK = "MMARK";

    /** Ends each read at the given place, then after each byte. */
    private static InputStream split(String text, int at) {
        return new ByteArrayInputStream(text.getBytes(ISO_8859_1)) {
            @Override
            public synchronized int read(byte[] bytes, int offset, int length) {
                int max = pos < at ? at - pos : count;
                return super.read(bytes, offset, Math.min(length, Math.max(1, max)));
            }
        };
    }

    @Test
    void shouldPassOnWhatStandsBetweenMarksHoweverItArrives() throws IOException {
        String text =
                "greeting MMMAR" + MARK + " 12 /dev/pts/1\r\noutput MMAR MM" + MARK + " 7\nfile\n" + MARK + "later";
        for (int at = 0; at <= text.length(); at++) {
            MarkedStream stream = new MarkedStream(split(text, at), MARK);
            ByteArrayOutputStream passed = new ByteArrayOutputStream();
            assertTrue(stream.passToMark(passed));
            assertEquals("greeting MMMAR", passed.toString(ISO_8859_1));
            assertEquals("12 /dev/pts/1", stream.line(100));
            passed.reset();
            assertTrue(stream.passToMark(passed));
            assertEquals("output MMAR MM", passed.toString(ISO_8859_1));
            assertEquals("7", stream.line(100));
            passed.reset();
            assertTrue(stream.passToMark(passed));
            assertEquals("file\n", passed.toString(ISO_8859_1));
            assertFalse(stream.passToMark(passed));
        }
    }

    @Test
    void shouldHoldBackNothingThatBeginsNoMark() throws IOException {
        ByteArrayOutputStream passed = new ByteArrayOutputStream();
        InputStream waiting = new InputStream() {
            private int reads;

            @Override
            public int read() {
                throw new AssertionError();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) {
                if (reads++ > 0) {
                    assertEquals("prompt> ", passed.toString(ISO_8859_1));
                    return -1;
                }
                System.arraycopy("prompt> MMA".getBytes(ISO_8859_1), 0, bytes, offset, 11);
                return 11;
            }
        };
        assertFalse(new MarkedStream(waiting, MARK).passToMark(passed));
        assertEquals("prompt> MMA", passed.toString(ISO_8859_1));
    }

    @Test
    void shouldRefuseALineThatDoesNotEnd() throws IOException {
        MarkedStream stream = new MarkedStream(split(MARK + "x".repeat(500), 0), MARK);
        assertTrue(stream.passToMark(new ByteArrayOutputStream()));
        assertThrows(IOException.class, () -> stream.line(100));
    }
}
