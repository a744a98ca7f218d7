package brig.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.protocol.ErrorCode;
import brig.protocol.Splits;
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
        String first =
                "{\"type\":\"chunk\",\"seq\":1,\"ts\":1,\"stream\":\"stdout\",\"content\":\"caf\u00e9 \ud83d\ude00\"}\n";
        String second = "{\"ts\":2,\"seq\":2,\"type\":\"done\",\"exit_code\":0}\n";
        String third = "{\"type\":\"hologram\",\"seq\":123456789012345}\n";
        byte[] script = Splits.utf8(
                first + "garbage\n" + second + "{\"type\":\"chunk\",\"seq\":0}\n\0\n\n" + third + "{\"type\"");
        List<String> expected = List.of(
                "CHUNK 1 " + first,
                "MALFORMED_JSON",
                "DONE 2 " + second,
                "INVALID_FIELD",
                "NUL_BYTE",
                "UNKNOWN 123456789012345 " + third);
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
            List<String> heads = seen.stream()
                    .map(line -> line.substring(0, line.indexOf(" {")))
                    .toList();
            assertEquals(List.of(type + " 1", type + " 2"), heads);
        }
    }

    /** Thousands of brackets must cost a refusal, not the stack. */
    @Test
    void shouldRefuseWhenNestingIsHostile() {
        byte[] script = Splits.utf8("{\"seq\":1,\"x\":" + "[".repeat(60_000) + "\n{\"type\":\"chunk\",\"seq\":1}\n");
        new FrameDecoder(sink).decode(script, 0, script.length);
        assertEquals(List.of("MALFORMED_JSON", "CHUNK 1 {\"type\":\"chunk\",\"seq\":1}\n"), seen);
    }
}
