package brig.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class LineReaderTest {
    private static final byte[] LINES =
            "{\"a\":\"ü€😀\"}\r\n\n\r\n{\"b\":[1,{\"c\":2}]}\n{\"d\":\"\\n\"}\n".getBytes(StandardCharsets.UTF_8);

    @Test
    void shouldReadTheSameObjectsWhereverTheBytesAreSplit() {
        List<Map<String, ?>> wanted =
                List.of(Map.of("a", "ü€😀"), Map.of("b", List.of(1L, Map.of("c", 2L))), Map.of("d", "\n"));
        for (int at = 0; at <= LINES.length; at++) {
            for (int next = at; next <= LINES.length; next++) {
                LineReader reader = new LineReader(64);
                List<Map<String, ?>> read = new ArrayList<>();
                for (byte[] piece : List.of(
                        Arrays.copyOf(LINES, at),
                        Arrays.copyOfRange(LINES, at, next),
                        Arrays.copyOfRange(LINES, next, LINES.length))) {
                    reader.read(piece).lines().forEach(line -> read.add(line.object()));
                }
                assertEquals(wanted, read);
            }
        }
    }

    @Test
    void shouldBoundALineInOnePieceInTwoAndOneThatNeverEnds() {
        byte[] line = ("{\"a\":\"" + "x".repeat(92) + "\"}\n").getBytes(StandardCharsets.UTF_8);
        assertNull(new LineReader(line.length).read(line).fault());
        assertNotNull(new LineReader(100).read(line).fault());
        LineReader two = new LineReader(100);
        assertNull(two.read(Arrays.copyOf(line, 50)).fault());
        assertNotNull(two.read(Arrays.copyOfRange(line, 50, line.length)).fault());
        assertNotNull(new LineReader(100).read(new byte[101]).fault());
    }

    @Test
    void shouldHandOutWhatCameBeforeAFault() {
        LineReader.Lines read = new LineReader(100).read("{\"a\":1}\nnonsense\n{}\n".getBytes(StandardCharsets.UTF_8));
        assertEquals(List.of(new LineReader.Line(Map.of("a", 1L), 8)), read.lines());
        assertNotNull(read.fault());
    }
}
