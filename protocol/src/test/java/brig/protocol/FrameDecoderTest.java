package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What single lines mean stands in {@code golden/frames.txt}; here is what a script cannot show. */
class FrameDecoderTest {
    private final List<String> seen = new ArrayList<>();

    private final FrameDecoder.Sink sink = new FrameDecoder.Sink() {
        @Override
        public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
            seen.add(type + " " + seq + " " + new String(bytes, offset, length, StandardCharsets.UTF_8));
        }

        @Override
        public void handleBadFrame(ErrorCode code) {
            seen.add(code.name());
        }
    };

    @Test
    void shouldSayTheSameWhenSplitAtEveryIndex() {
        String first = "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"stream\":\"stdout\",\"content\":\"caf\u00e9 \ud83d\ude00\"}\n";
        String second = "{\"ts\":2,\"seq\":2,\"type\":\"done\",\"exitCode\":0}\n";
        String third = "{\"type\":\"hologram\",\"seq\":123456789012345}\n";
        byte[] script = Splits.utf8(first + "garbage\n" + second + "{\"type\":\"chunk\",\"seq\":0}\n\0\n\n" + third + "{\"type\"");
        List<String> expected = List.of("CHUNK 1 " + first, "MALFORMED_JSON", "DONE 2 " + second, "INVALID_FIELD",
                "NUL_BYTE", "UNKNOWN 123456789012345 " + third);
        for (int index = 0; index <= script.length; index++) {
            seen.clear();
            Splits.feedSplit(new FrameDecoder(sink)::decode, script, index);
            assertEquals(expected, seen, "split at " + index);
        }
    }

    @Test
    void shouldReadEveryTypeWhenItIsWrittenInEitherOrder() {
        for (FrameType type : FrameType.values()) {
            seen.clear();
            byte[] script = Splits.utf8("{\"type\":\"" + type.wireName() + "\",\"seq\":1}\n{\"seq\":2,\"type\":\""
                    + type.wireName() + "\"}\n");
            new FrameDecoder(sink).decode(script, 0, script.length);
            List<String> heads = seen.stream().map(line -> line.substring(0, line.indexOf(" {"))).toList();
            assertEquals(List.of(type + " 1", type + " 2"), heads);
        }
    }

    @Test
    void shouldHandOnChunksThatFollowOneAnotherAsOneRun() {
        StringBuilder script = new StringBuilder();
        for (long seq = 8; seq <= 101; seq++) {
            script.append(chunk(seq));
        }
        script.append(chunk(101)).append(chunk(103)).append("{\"type\":\"done\",\"seq\":104}\n").append(chunk(105))
                .append("{\"type\":\"chunk\",\"seq\":0106,\"content\":\"\"}\n").append(chunk(106));
        assertEquals(List.of("8+94 in 94 lines", "101+1 in 1 lines", "103+1 in 1 lines", "DONE 104", "105+1 in 1 lines",
                "MALFORMED_JSON", "106+1 in 1 lines"), runs(script.toString()));
    }

    @Test
    void shouldCountOnWhenNumbersHaveMoreThanEightDigits() {
        StringBuilder script = new StringBuilder();
        for (long seq = 99_999_989; seq <= 100_000_011; seq++) {
            script.append(chunk(seq));
        }
        script.append(chunk(200_000_012)).append(chunk(200_000_013)).append(chunk(300_000_014));
        assertEquals(List.of("99999989+23 in 23 lines", "200000012+2 in 2 lines", "300000014+1 in 1 lines"),
                runs(script.toString()));
    }

    @Test
    void shouldContinueRunBehindWhatIsNotPlainAndEndItAtWhatIsNoFrame() {
        String script = chunk(1) + chunk(2).replace('x', 'é') + chunk(3) + chunk(4).replace('x', '\0') + chunk(5) + chunk(6)
                + chunk(7).replace("}", "") + chunk(8) + chunk(9) + "{\"type\":\"chunk\",\"seq\":10,\"content\":\"y";
        assertEquals(List.of("1+3 in 3 lines", "NUL_BYTE", "5+2 in 2 lines", "MALFORMED_JSON", "8+2 in 2 lines"), runs(script));
    }

    @Test
    void shouldRefuseLineThatIsTooLongAmongThoseOfARun() {
        String longest = chunk(2).replace("x", "x".repeat(Limits.FRAME_BYTES_MAX - chunk(2).length() + 1));
        String script = chunk(1) + longest + chunk(3) + chunk(4).replace("x", "x".repeat(Limits.FRAME_BYTES_MAX)) + chunk(5);
        assertEquals(List.of("1+3 in 3 lines", "LINE_TOO_LONG", "5+1 in 1 lines"), runs(script));
    }

    private static List<String> runs(String script) {
        List<String> runs = new ArrayList<>();
        FrameDecoder.Sink sink = new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
                runs.add(type + " " + seq);
            }

            @Override
            public void handleChunks(ChunkRun run) {
                int start = run.start(0);
                int end = run.end(run.count() - 1);
                long newlines = new String(run.bytes(), start, end - start, StandardCharsets.UTF_8).lines().count();
                runs.add(run.firstSeq() + "+" + run.count() + " in " + newlines + " lines");
            }

            @Override
            public void handleBadFrame(ErrorCode code) {
                runs.add(code.name());
            }
        };
        byte[] bytes = Splits.utf8(script);
        new FrameDecoder(sink).decode(bytes, 0, bytes.length);
        return runs;
    }

    private static String chunk(long seq) {
        return "{\"type\":\"chunk\",\"seq\":" + seq + ",\"content\":\"x\"}\n";
    }

    /** Thousands of brackets must cost a refusal, not the stack. */
    @Test
    void shouldRefuseWhenNestingIsHostile() {
        byte[] script = Splits.utf8("{\"seq\":1,\"x\":" + "[".repeat(60_000) + "\n{\"type\":\"chunk\",\"seq\":1}\n");
        new FrameDecoder(sink).decode(script, 0, script.length);
        assertEquals(List.of("MALFORMED_JSON", "CHUNK 1 {\"type\":\"chunk\",\"seq\":1}\n"), seen);
    }
}
