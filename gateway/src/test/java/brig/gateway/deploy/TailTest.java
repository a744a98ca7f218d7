package brig.gateway.deploy;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** What programs write, of any length and with any bytes. */
class TailTest {
    @Test
    void shouldKeepTheEndOfWhatIsLong() {
        Tail.Collector collector = new Tail.Collector();
        byte[] chunk = new byte[10_000];
        Arrays.fill(chunk, (byte) 'x');
        for (int part = 0; part < 10_500; part++) {
            collector.add(chunk, chunk.length);
        }
        byte[] last = "the end".getBytes(StandardCharsets.UTF_8);
        collector.add(last, last.length);
        Tail tail = collector.tail();
        assertEquals(Tail.BYTES_MAX, tail.bytes().length);
        assertTrue(tail.truncated());
        assertTrue(tail.text().endsWith("xthe end"));
        assertTrue(tail.shown().length() <= 400);
        assertNull(tail.lastObject());
    }

    @Test
    void shouldKeepTheEndOfAChunkThatIsLonger() {
        byte[] chunk = new byte[3 * Tail.BYTES_MAX + 5];
        for (int at = 0; at < chunk.length; at++) {
            chunk[at] = (byte) at;
        }
        assertArrayEquals(
                Arrays.copyOfRange(chunk, chunk.length - Tail.BYTES_MAX, chunk.length),
                FakeProcesses.tail(chunk).bytes());
    }

    @Test
    void shouldShowHostileBytesAsHarmlessText() {
        String shown = FakeProcesses.tail(new byte[] {(byte) 0xff, 0x1b, '[', '2', 'J', 7, '\n', 'a', 0})
                .shown();
        assertTrue(shown.chars().noneMatch(Character::isISOControl), shown);
        assertTrue(shown.endsWith("a\\u0000"), shown);
    }

    @Test
    void shouldFindTheAnswerBehindWhatALoginShellWrites() {
        Tail tail = FakeProcesses.tail("Welcome {user}\n{\"a\":1}\n{\"b\":2}\nbye\n");
        assertArrayEquals("{\"b\":2}".getBytes(StandardCharsets.UTF_8), tail.lastObject());
        assertFalse(tail.truncated());
    }
}
