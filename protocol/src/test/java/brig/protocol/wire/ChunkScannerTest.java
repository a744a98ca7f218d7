package brig.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.Splits;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ChunkScannerTest {
    private static final int ENDS = 4096;

    private final ChunkScanner scanner = new ChunkScanner();

    @Test
    void shouldFindChunksThatFollowOneAnother() {
        StringBuilder script = new StringBuilder();
        for (long seq = 8; seq <= 101; seq++) {
            script.append(chunk(seq));
        }
        assertEquals(94, found(script.toString(), 8));
        assertEquals(0, found(script.toString(), 9), "the first has another number");
        assertEquals(94, found(script + chunk(103), 8));
        assertEquals(94, found(script + chunk(101), 8));
        assertEquals(94, found(script + "{\"type\":\"done\",\"seq\":102}\n", 8));
        assertEquals(94, found(script + chunk(102).replace("102", "0102"), 8));
    }

    @Test
    void shouldCountOnWhenNumbersGetLonger() {
        for (long unit = 10; unit < Limits.SEQ_MAX; unit *= 10) {
            StringBuilder script = new StringBuilder();
            for (long seq = unit - 5; seq <= unit + 5; seq++) {
                script.append(chunk(seq));
            }
            assertEquals(11, found(script.toString(), unit - 5), "around " + unit);
        }
        assertEquals(1, found(chunk(Limits.SEQ_MAX) + chunk(Limits.SEQ_MAX + 1), Limits.SEQ_MAX));
    }

    @Test
    void shouldCompareEveryDigit() {
        for (long seq : new long[] {7, 1234567, 12345678, 123456789, 1234567890123456L}) {
            assertEquals(1, found(chunk(seq), seq));
            String digits = Long.toString(seq);
            for (int i = 0; i < digits.length(); i++) {
                char other = digits.charAt(i) == '9' ? '8' : '9';
                String wrong = digits.substring(0, i) + other + digits.substring(i + 1);
                assertEquals(0, found(chunk(seq).replace(digits, wrong), seq), wrong + " is not " + seq);
            }
        }
    }

    @Test
    void shouldStopAtWhatIsNotWhole() {
        String two = chunk(1) + chunk(2);
        for (int cut = 0; cut < two.length(); cut++) {
            int whole = cut >= chunk(1).length() ? 1 : 0;
            assertEquals(whole, found(two.substring(0, cut), 1), "cut at " + cut);
        }
        assertEquals(1, found(chunk(1) + chunk(2).replace("}", ""), 1));
    }

    @Test
    void shouldLetNothingThroughThatTheDecoderRefuses() {
        for (int pad = 0; pad < 9; pad++) {
            String x = "x".repeat(pad);
            assertEquals(3, found(chunk(1) + chunk(2).replace("x", x + "é😀" + x) + chunk(3), 1));
            assertEquals(3, found(chunk(1) + chunk(2).replace("x", x + "\t" + x) + chunk(3), 1));
            assertEquals(1, found(chunk(1) + chunk(2).replace("x", x + "\0" + x) + chunk(3), 1));
            byte[] invalid = Splits.utf8(chunk(1) + chunk(2).replace("x", x + "!" + x) + chunk(3));
            for (int i = 0; i < invalid.length; i++) {
                invalid[i] = invalid[i] == '!' ? (byte) 0xc3 : invalid[i];
            }
            assertEquals(1, found(invalid, 1));
        }
    }

    @Test
    void shouldBoundALine() {
        String longest = chunk(1).replace("x", "x".repeat(Limits.FRAME_BYTES_MAX - chunk(1).length() + 1));
        assertEquals(Limits.FRAME_BYTES_MAX, longest.length());
        assertEquals(1, found(longest, 1));
        assertEquals(0, found(longest.replaceFirst("x", "xx"), 1));
    }

    @Test
    void shouldStopWhenItCannotCountMore() {
        byte[] script = Splits.utf8(chunk(1) + chunk(2) + chunk(3));
        int[] ends = {7, 0, 0};
        assertEquals(3, scanner.scan(memory(script), 0, script.length, 1, ends, 1));
        int line = chunk(1).length();
        assertEquals("[7, " + line + ", " + 2 * line + "]", Arrays.toString(ends));
    }

    /** Whatever it is given, what it takes is what the decoder would have handed on. */
    @Test
    void shouldAgreeWithTheDecoder() {
        Random random = new Random(20_261_122);
        for (int round = 0; round < 2_000; round++) {
            StringBuilder script = new StringBuilder();
            for (long seq = 98; seq <= 103; seq++) {
                script.append(chunk(seq).replace("x", "y".repeat(random.nextInt(20))));
            }
            byte[] bytes = Splits.utf8(script.toString());
            for (int i = random.nextInt(3); i > 0; i--) {
                bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
            }
            int[] ends = new int[ENDS];
            int count = scanner.scan(memory(bytes), 0, bytes.length, 98, ends, 0);
            int[] decoded = {0};
            new FrameDecoder(new FrameDecoder.Sink() {
                        @Override
                        public void handleFrame(FrameType type, long seq, byte[] line, int offset, int length) {
                            assertEquals(FrameType.CHUNK, type);
                            assertEquals(98 + decoded[0], seq);
                            assertEquals(ends[decoded[0]++], offset + length);
                        }

                        @Override
                        public void handleBadFrame(ErrorCode code) {
                            throw new AssertionError(code + " in " + new String(bytes, StandardCharsets.ISO_8859_1));
                        }
                    })
                    .decode(bytes, 0, count == 0 ? 0 : ends[count - 1]);
            assertEquals(count, decoded[0]);
        }
    }

    private int found(String script, long firstSeq) {
        return found(Splits.utf8(script), firstSeq);
    }

    private int found(byte[] script, long firstSeq) {
        return scanner.scan(memory(script), 0, script.length, firstSeq, new int[ENDS], 0);
    }

    private static ByteBuffer memory(byte[] bytes) {
        return ByteBuffer.allocateDirect(bytes.length)
                .order(ByteOrder.LITTLE_ENDIAN)
                .put(0, bytes);
    }

    private static String chunk(long seq) {
        return "{\"type\":\"chunk\",\"seq\":" + seq + ",\"content\":\"x\"}\n";
    }
}
