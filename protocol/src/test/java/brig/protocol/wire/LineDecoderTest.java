package brig.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.ErrorCode;
import brig.protocol.Splits;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineDecoderTest {
    private static final int MAX = 32;

    private final List<String> seen = new ArrayList<>();

    private LineDecoder decoder(int bytesMax) {
        return new LineDecoder(bytesMax, new LineDecoder.Sink() {
            @Override
            public void handleLine(byte[] bytes, int offset, int length) {
                assertEquals('\n', bytes[offset + length], "the newline stands behind the line");
                seen.add(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
            }

            @Override
            public void handleBadLine(ErrorCode code) {
                seen.add(code.name());
            }
        });
    }

    @Test
    void shouldSayTheSameWhenSplitAtEveryIndex() {
        byte[] script = ("one\n\n\r\ntwo\r\n" + "a".repeat(MAX - 1) + "\n" + "b".repeat(MAX) + "\nnul \0 here\n"
                        + "c".repeat(3 * MAX) + "\n\0\n\u00c3\u00a9\n\u00c3\n\u00ed\u00a0\u0080\n"
                        + "\u00f0\u009f\u0098\u0080 end\nrest")
                .getBytes(StandardCharsets.ISO_8859_1);
        List<String> expected = List.of(
                "one",
                "two\r",
                "a".repeat(MAX - 1),
                "LINE_TOO_LONG",
                "NUL_BYTE",
                "LINE_TOO_LONG",
                "NUL_BYTE",
                "\u00c3\u00a9",
                "INVALID_UTF8",
                "INVALID_UTF8",
                "\u00f0\u009f\u0098\u0080 end");
        for (int index = 0; index <= script.length; index++) {
            seen.clear();
            Splits.feedSplit(decoder(MAX)::decode, script, index);
            assertEquals(expected, seen, "split at " + index);
        }
    }

    /** Every length near the limit, whole in one read: eight bytes at a time must not blur where a line ends. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 7, 8, 9, 15, 16, 17, 64 * 1024})
    void shouldBoundALineExactlyWhenItIsWholeInOneRead(int bytesMax) {
        byte[] fits = Splits.utf8("x".repeat(bytesMax - 1) + "\n");
        byte[] longer = Splits.utf8("x".repeat(bytesMax) + "\n");
        decoder(bytesMax).decode(fits, 0, fits.length);
        decoder(bytesMax).decode(longer, 0, longer.length);
        String line = "x".repeat(bytesMax - 1);
        assertEquals(line.isEmpty() ? List.of("LINE_TOO_LONG") : List.of(line, "LINE_TOO_LONG"), seen);
    }

    @Test
    void shouldRefuseAtOnceWhenALineWithoutNewlineCannotFitAnyMore() {
        LineDecoder decoder = decoder(MAX);
        Splits.feed(decoder::decode, Splits.utf8("x".repeat(MAX - 1)), 0, MAX - 1);
        assertEquals(MAX - 1, decoder.pendingBytes());
        assertTrue(seen.isEmpty());
        Splits.feed(decoder::decode, Splits.utf8("x"), 0, 1);
        assertEquals(List.of("LINE_TOO_LONG"), seen);
        assertEquals(0, decoder.pendingBytes(), "a refused line takes no memory");
    }

    /** A suspicion belongs to one line: the next one is judged afresh, and an old one is not forgotten at a split. */
    @Test
    void shouldFindTheOddByteWhereverItStands() {
        for (int at = 0; at < 20; at++) {
            for (byte odd : new byte[] {0, (byte) 0xff, (byte) 0x80}) {
                byte[] script = Splits.utf8("x".repeat(20) + "\nfine\n");
                script[at] = odd;
                for (int index = 0; index <= script.length; index++) {
                    seen.clear();
                    Splits.feedSplit(decoder(MAX)::decode, script, index);
                    assertEquals(List.of(odd == 0 ? "NUL_BYTE" : "INVALID_UTF8", "fine"), seen, at + "/" + index);
                }
            }
        }
    }
}
