package brig.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import brig.protocol.wire.LineDecoder;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Random streams in random reads, against models that read everything first and look for one byte at a time. The seed is
 * printed; {@code ./gradlew -Dfuzz.seed=N :protocol:test -Ptests=Fuzz} repeats a run.
 */
class DecoderFuzzTest {
    private static final long BUDGET_NS = 1_200_000_000L;
    private static final int MAX = 48;
    private static final String[] PIECES = {
        "\n",
        "\n",
        "\r\n",
        "\0",
        "é",
        "€",
        "😀",
        "abc",
        "{",
        "}",
        "\"",
        "{}\n",
        "{\"type\":\"chunk\",\"seq\":",
        "12345678",
        "-",
        ",\"content\":\"",
        "\"}\n",
        "x".repeat(MAX - 1),
        "{\"seq\":7,\"type\":\"done\"}"
    };

    private final long seed = Long.getLong("fuzz.seed", System.nanoTime());
    private final Random random = new Random(seed);
    private final List<String> seen = new ArrayList<>();

    private final LineDecoder.Sink lines = new LineDecoder.Sink() {
        @Override
        public void handleLine(byte[] bytes, int offset, int length) {
            seen.add(new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
        }

        @Override
        public void handleBadLine(ErrorCode code) {
            seen.add(code.name());
        }
    };

    private final FrameDecoder.Sink frames = new FrameDecoder.Sink() {
        @Override
        public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
            seen.add(type + " " + seq + " " + new String(bytes, offset, length, StandardCharsets.ISO_8859_1));
        }

        @Override
        public void handleBadFrame(ErrorCode code) {
            seen.add(code.name());
        }
    };

    @Test
    void shouldCutLinesAsTheModelDoesWhenStreamAndReadsAreRandom() {
        int rounds = 0;
        for (long start = System.nanoTime(); System.nanoTime() - start < BUDGET_NS; rounds++) {
            byte[] stream = randomStream();
            seen.clear();
            feedRandomly(new LineDecoder(MAX, lines)::decode, stream);
            assertEquals(modelLines(stream), seen, () -> "seed " + seed);
        }
        System.out.println("LineDecoder: seed " + seed + ", " + rounds + " streams");
        assertTrue(rounds > 100, "a computer this slow tests nothing");
    }

    /** Frames: one read of everything is the model for many reads; the golden scripts say what is right. */
    @Test
    void shouldReadTheSameFramesWhenReadsAreRandom() {
        int rounds = 0;
        for (long start = System.nanoTime(); System.nanoTime() - start < BUDGET_NS; rounds++) {
            byte[] stream = randomStream();
            seen.clear();
            new FrameDecoder(frames).decode(stream, 0, stream.length);
            List<String> whole = List.copyOf(seen);
            seen.clear();
            feedRandomly(new FrameDecoder(frames)::decode, stream);
            assertEquals(whole, seen, () -> "seed " + seed);
        }
        System.out.println("FrameDecoder: seed " + seed + ", " + rounds + " streams");
    }

    private byte[] randomStream() {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        for (int i = random.nextInt(40); i >= 0; i--) {
            out.writeBytes(Splits.utf8(PIECES[random.nextInt(PIECES.length)]));
        }
        byte[] stream = out.toByteArray();
        for (int i = random.nextInt(4); i > 0; i--) {
            stream[random.nextInt(stream.length)] = (byte) random.nextInt(256);
        }
        return stream;
    }

    private void feedRandomly(Splits.Decoder decoder, byte[] stream) {
        int readMax = 1 + random.nextInt(stream.length);
        for (int at = 0; at < stream.length; ) {
            int to = Math.min(stream.length, at + random.nextInt(readMax + 1));
            Splits.feed(decoder, stream, at, to);
            at = to;
        }
    }

    /** The decoder as one would explain it. An unfinished line counts only once it is certainly too long. */
    private static List<String> modelLines(byte[] stream) {
        List<String> lines = new ArrayList<>();
        String all = new String(stream, StandardCharsets.ISO_8859_1);
        String[] parts = all.split("\n", -1);
        for (int i = 0; i < parts.length; i++) {
            String line = parts[i];
            boolean finished = i < parts.length - 1;
            if (line.length() + 1 > MAX) {
                lines.add("LINE_TOO_LONG");
            } else if (finished && !line.isEmpty() && !line.equals("\r")) {
                lines.add(line.indexOf('\0') >= 0 ? "NUL_BYTE" : isUtf8(line) ? line : "INVALID_UTF8");
            }
        }
        return lines;
    }

    private static boolean isUtf8(String bytes) {
        try {
            ByteBuffer buffer = ByteBuffer.wrap(bytes.getBytes(StandardCharsets.ISO_8859_1));
            StandardCharsets.UTF_8.newDecoder().decode(buffer);
            return true;
        } catch (CharacterCodingException e) {
            return false;
        }
    }
}
