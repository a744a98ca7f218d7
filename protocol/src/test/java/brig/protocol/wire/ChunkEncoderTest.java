package brig.protocol.wire;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import brig.protocol.Limits;
import brig.protocol.Splits;
import brig.protocol.json.Json;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ChunkEncoderTest {
    private static final int READ_BYTES = 64 * 1024;
    private static final String HEAD = "{\"type\":\"chunk\",\"seq\":" + Limits.SEQ_MAX;

    private final List<Map<String, Object>> frames = new ArrayList<>();
    private final ChunkEncoder encoder = new ChunkEncoder("stdout", this::keep);

    private final Set<byte[]> bodies = Collections.newSetFromMap(new IdentityHashMap<>());

    private void keep(byte[] body, int length) {
        bodies.add(body);
        ByteArrayOutputStream frame = new ByteArrayOutputStream();
        frame.writeBytes(HEAD.getBytes(StandardCharsets.US_ASCII));
        frame.write(body, 0, length);
        assertTrue(frame.size() <= Limits.FRAME_BYTES_MAX, "a frame has " + frame.size() + " bytes");
        assertEquals('\n', body[length - 1]);
        assertTrue(
                new String(body, 0, length - 1, StandardCharsets.UTF_8).chars().noneMatch(Character::isISOControl),
                "no control");
        frames.add(Json.parseObject(frame.toByteArray()));
    }

    private String contents() {
        StringBuilder all = new StringBuilder();
        frames.forEach(frame -> all.append(frame.get("content")));
        return all.toString();
    }

    /** All of it in reads of that many bytes, each from the middle of an array. */
    private String encode(byte[] bytes, int readBytes) throws InterruptedException {
        frames.clear();
        byte[] buffer = new byte[readBytes + 6];
        for (int at = 0; at < bytes.length; at += readBytes) {
            int count = Math.min(readBytes, bytes.length - at);
            System.arraycopy(bytes, at, buffer, 3, count);
            encoder.encode(buffer, 3, count, 1234);
        }
        encoder.finish(1234);
        return contents();
    }

    @Test
    void shouldKeepTheTextWhenCharactersAreSplitAtEveryIndex() throws InterruptedException {
        String text = "a\u00e9\u20ac\ud83d\ude00\"\\/\n\r\t\b\f\u0000\u001f\u007f"
                + "\u0080\u07ff\u0800\uffff\ud800\udc00\udbff\udfff z";
        byte[] bytes = Splits.utf8(text);
        for (int index = 0; index <= bytes.length; index++) {
            frames.clear();
            encoder.encode(bytes, 0, index, 1);
            encoder.encode(bytes, index, bytes.length - index, 2);
            encoder.finish(3);
            assertEquals(text, contents(), "split at " + index);
        }
        assertEquals(text, encode(bytes, 1));
    }

    @Test
    void shouldCarryStreamAndTimeWhenAFrameIsMade() throws InterruptedException {
        encode(Splits.utf8("x"), 1);
        assertEquals(
                Map.of("type", "chunk", "seq", Limits.SEQ_MAX, "ts", 1234L, "stream", "stdout", "content", "x"),
                frames.get(0));
    }

    @Test
    void shouldSayNothingWhenThereIsNothingToSay() throws InterruptedException {
        encoder.encode(new byte[8], 4, 0, 1);
        encoder.encode(new byte[] {(byte) 0xe2}, 0, 1, 1);
        assertEquals(List.of(), frames);
        encoder.finish(1);
        encoder.finish(1);
        assertEquals("\uFFFD", contents());
    }

    @Test
    void shouldShareTheMemoryOfABodyWithTheOtherEncodersOfTheThread() throws InterruptedException {
        List<ChunkEncoder> encoders = List.of(encoder, new ChunkEncoder("stderr", this::keep));
        for (byte b : Splits.utf8("äöü")) {
            for (ChunkEncoder each : encoders) {
                each.encode(new byte[] {b}, 0, 1, 1);
            }
        }
        assertEquals("ääööüü", contents());
        assertEquals(1, bodies.size());
    }

    @ParameterizedTest
    @ValueSource(ints = {0x01, 0x1b, 0x0a, 0x22, 0x5c, 0x7f, 0x61, 0xff})
    void shouldLoseNothingWhenAWholeReadHasToBeEscaped(int value) throws InterruptedException {
        byte[] bytes = new byte[READ_BYTES];
        Arrays.fill(bytes, (byte) value);
        String expected = (value == 0xff ? "\uFFFD" : String.valueOf((char) value)).repeat(READ_BYTES);
        assertEquals(expected, encode(bytes, READ_BYTES));
        assertEquals(expected, encode(bytes, 4093));
    }

    @Test
    void shouldKeepEachCharacterWhereverItStands() throws InterruptedException {
        for (int character = 0; character < 0x180; character++) {
            for (int at = 0; at <= 2 * Long.BYTES; at++) {
                String text = "~".repeat(at) + (char) character + " !#[]".repeat(3);
                assertEquals(text, encode(Splits.utf8(text), READ_BYTES));
            }
        }
    }

    /**
     * Java decodes as browsers do but for surrogates: of ED A0 80 it makes one U+FFFD, browsers and Unicode's recommended
     * practice three, because ED A0 begins no character. Brig does as browsers do, so those are left out here.
     */
    @Test
    void shouldReplaceAsJavaDoesWhenBytesAreRandom() throws InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        int[] likely = {
            'a', '\n', 0x80, 0xbf, 0xc0, 0xc2, 0xdf, 0xe0, 0xe2, 0x9f, 0xa0, 0xef, 0xf0, 0x90, 0x8f, 0xf4, 0xf5, 0xff
        };
        for (int round = 0; round < 3000; round++) {
            byte[] bytes = new byte[1 + random.nextInt(24)];
            for (int i = 0; i < bytes.length; i++) {
                bytes[i] = (byte) likely[random.nextInt(likely.length)];
            }
            String expected = new String(bytes, StandardCharsets.UTF_8);
            assertEquals(expected, encode(bytes, 1 + random.nextInt(bytes.length)), () -> "seed " + seed);
        }
    }

    @Test
    void shouldReplaceEachByteWhenTheyAreASurrogate() throws InterruptedException {
        byte[] surrogate = {'<', (byte) 0xed, (byte) 0xa0, (byte) 0x80, '>'};
        for (int readBytes = 1; readBytes <= surrogate.length; readBytes++) {
            assertEquals("<\uFFFD\uFFFD\uFFFD>", encode(surrogate, readBytes));
        }
    }

    @Test
    void shouldLeaveTheReadUntouched() throws InterruptedException {
        byte[] read = Splits.utf8("\"\u00e9\"");
        encoder.encode(read, 0, read.length, 1);
        assertArrayEquals(Splits.utf8("\"\u00e9\""), read);
    }
}
