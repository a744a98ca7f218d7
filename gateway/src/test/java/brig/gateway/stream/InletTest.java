package brig.gateway.stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class InletTest {
    private final Bench bench = new Bench().record();
    private final RecordingSink reader = bench.reader(1, false);
    /** What the log did not take where it arrived. */
    private final List<String> others = new ArrayList<>();

    private final Inlet.Shared shared = new Inlet.Shared();
    private Inlet inlet = inlet();

    private Inlet inlet() {
        return new Inlet(bench.log, shared, sink(bench, others));
    }

    private static FrameDecoder.Sink sink(Bench bench, List<String> others) {
        return new FrameDecoder.Sink() {
            @Override
            public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
                others.add(type.wireName() + " " + seq);
                bench.log.append(seq, bytes, offset, length);
            }

            @Override
            public void handleBadFrame(ErrorCode code) {
                others.add(code.name());
            }
        };
    }

    /** Reads as a socket does: what is there, as far as there is room. @return how many bytes */
    private int arrive(byte[] bytes, int from, int upTo) {
        ByteBuf room = inlet.room();
        int length = Math.min(room.writableBytes(), upTo - from);
        assertTrue(length > 0, "no room");
        room.writeBytes(bytes, from, length);
        room.release();
        inlet.take(length);
        return length;
    }

    private void arrive(String text) {
        byte[] bytes = Frames.utf8(text);
        for (int at = 0; at < bytes.length; ) {
            at += arrive(bytes, at, bytes.length);
        }
    }

    @Test
    void shouldTakeChunksWhereTheyArrive() {
        arrive(Frames.frames(1, 5_000));
        bench.settle();
        assertEquals(Frames.frames(1, 5_000), reader.text());
        assertEquals(List.of(), others);
    }

    @Test
    void shouldTakeChunksWhenReadsEndAnywhere() {
        byte[] script = Frames.utf8(Frames.frames(1, 3));
        for (int cut = 1; cut < script.length; cut++) {
            Bench split = new Bench().record();
            RecordingSink sink = split.reader(1, false);
            inlet = new Inlet(split.log, shared, sink(split, others));
            arrive(script, 0, cut);
            arrive(script, cut, script.length);
            split.settle();
            assertEquals(Frames.frames(1, 3), sink.text(), "cut at " + cut);
            assertEquals(List.of(), others);
        }
    }

    @Test
    void shouldGiveTheDecoderWhatIsNoChunkThatComesNext() {
        String done = "{\"type\":\"done\",\"seq\":6,\"exit_code\":0}\n";
        arrive(Frames.frames(1, 5) + done + Frames.frames(7, 9));
        arrive(Frames.frames(10, 12));
        bench.settle();
        assertEquals(Frames.frames(1, 5) + done + Frames.frames(7, 12), reader.text());
        assertEquals(List.of("done 6", "chunk 7", "chunk 8", "chunk 9"), others);
    }

    @Test
    void shouldRefuseWhatTheDecoderRefuses() {
        arrive(Frames.frames(1, 2) + "garbage\n");
        arrive(Frames.frames(3, 3) + Frames.frames(2, 3));
        arrive(Frames.frames(4, 4));
        bench.settle();
        assertEquals(Frames.frames(1, 4), reader.text(), "what came again is not told twice");
        assertEquals(List.of("MALFORMED_JSON", "chunk 2", "chunk 3"), others);
    }

    @Test
    void shouldTakeTheLongestLineAndRefuseALongerOne() {
        String longest = Frames.frame(2, Limits.FRAME_BYTES_MAX);
        String tooLong = Frames.frame(3, Limits.FRAME_BYTES_MAX + 1);
        arrive(Frames.frame(1) + longest + tooLong);
        arrive(Frames.frame(3));
        bench.settle();
        assertEquals(Frames.frame(1) + longest + Frames.frame(3), reader.text());
        assertEquals(List.of("LINE_TOO_LONG"), others);
    }

    @Test
    void shouldForgetAnUnfinishedLineWithItsConnection() {
        arrive(Frames.frames(1, 2) + Frames.frame(3).substring(0, 20));
        inlet = inlet();
        arrive(Frames.frames(3, 4));
        bench.settle();
        assertEquals(Frames.frames(1, 4), reader.text());
    }

    @Test
    void shouldNotContinueALineWhereSomebodyElseWrote() {
        arrive(Frames.frame(1).substring(0, 20));
        bench.append(1, 200);
        assertThrows(IllegalStateException.class, inlet::room);
    }

    @Test
    void shouldNotContinueALineWhereSomebodyElseWroteASingleFrame() {
        arrive(Frames.frame(1).substring(0, 20));
        bench.append(1, 1);
        bench.settle();
        assertEquals(Frames.frame(1), reader.text());
        assertThrows(IllegalStateException.class, inlet::room);
        inlet = inlet();
        arrive(Frames.frames(2, 3));
        bench.settle();
        assertEquals(Frames.frames(1, 3), reader.text());
    }

    /** Any script, read in pieces of any size, gives what its frames give one by one. */
    @Test
    void shouldGiveTheSameAsFramesOneByOne() {
        Random random = new Random(4);
        for (int round = 0; round < 40; round++) {
            byte[] script = Frames.utf8(script(random));
            Bench plain = new Bench().record();
            RecordingSink expected = plain.reader(1, false);
            List<String> refused = new ArrayList<>();
            new FrameDecoder(sink(plain, refused)).decode(script, 0, script.length);
            plain.settle();

            Bench read = new Bench().record();
            RecordingSink sink = read.reader(1, false);
            others.clear();
            inlet = new Inlet(read.log, shared, sink(read, others));
            int most = 512 << random.nextInt(9);
            for (int at = 0; at < script.length; ) {
                at += arrive(script, at, Math.min(script.length, at + 1 + random.nextInt(most)));
                if (random.nextInt(4) == 0) {
                    read.settle();
                }
            }
            read.settle();
            assertEquals(expected.text(), sink.text());
            refused.removeIf(line -> line.startsWith("chunk"));
            others.removeIf(line -> line.startsWith("chunk"));
            assertEquals(refused, others);
        }
    }

    private static String script(Random random) {
        StringBuilder script = new StringBuilder();
        long seq = 1;
        for (int i = 0; i < 400; i++) {
            switch (random.nextInt(40)) {
                case 0 -> script.append("garbage\n");
                case 1 -> script.append("{\"seq\":").append(seq++).append(",\"type\":\"tool\"}\n");
                case 2 -> script.append(Frames.frame(Math.max(1, seq - 3)));
                case 3 -> script.append(Frames.frame(seq++, 60_000));
                case 4 -> script.append(Frames.frame(seq, 70_000));
                default -> script.append(Frames.frame(seq++, 60 + random.nextInt(60)));
            }
        }
        return script.toString();
    }
}
