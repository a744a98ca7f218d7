package brig.gateway.provider.websocket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WebSocketTest {
    private static final int CONTINUATION = 0;
    private static final int TEXT = 1;
    private static final int BINARY = 2;
    private static final int CLOSE = 8;
    private static final int PING = 9;

    /** A frame of a server. */
    private static byte[] frame(boolean fin, int kind, byte[] content) {
        ByteBuffer frame = ByteBuffer.allocate(10 + content.length);
        frame.put((byte) ((fin ? 0x80 : 0) | kind));
        if (content.length < 126) {
            frame.put((byte) content.length);
        } else if (content.length <= 0xffff) {
            frame.put((byte) 126).putShort((short) content.length);
        } else {
            frame.put((byte) 127).putLong(content.length);
        }
        frame.put(content).flip();
        byte[] bytes = new byte[frame.remaining()];
        frame.get(bytes);
        return bytes;
    }

    private static byte[] joined(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            all.writeBytes(part);
        }
        return all.toByteArray();
    }

    private static byte[] closing(int code, String reason) {
        return joined(ByteBuffer.allocate(2).putShort((short) code).array(), reason.getBytes(UTF_8));
    }

    private static WebSocket socket(byte[]... parts) {
        return new WebSocket(new HandStreams(joined(parts), Integer.MAX_VALUE));
    }

    private static byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at++) {
            bytes[at] = (byte) at;
        }
        return bytes;
    }

    /** What a client wrote, as frames of a server. */
    private static byte[] unmasked(byte[] written) {
        ByteBuffer from = ByteBuffer.wrap(written);
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        while (from.hasRemaining()) {
            int first = from.get() & 0xff;
            int second = from.get() & 0xff;
            assertTrue((second & 0x80) != 0, "a client masks");
            long length = second & 0x7f;
            length = length == 126 ? from.getShort() & 0xffff : length == 127 ? from.getLong() : length;
            byte[] mask = new byte[4];
            from.get(mask);
            byte[] content = new byte[(int) length];
            from.get(content);
            for (int at = 0; at < content.length; at++) {
                content[at] ^= mask[at % 4];
            }
            frames.writeBytes(frame((first & 0x80) != 0, first & 0x0f, content));
        }
        return frames.toByteArray();
    }

    @Test
    void shouldReadMessagesOfAnySizeWhereverTheyAreCut() throws IOException {
        List<Integer> sizes = List.of(0, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        sizes.forEach(size -> all.writeBytes(frame(true, BINARY, bytes(size))));
        for (int atOnce : List.of(1, 2, 3, 7, 1000, 1_000_000)) {
            WebSocket socket = new WebSocket(new HandStreams(all.toByteArray(), atOnce));
            for (int size : sizes) {
                assertArrayEquals(
                        bytes(size), Objects.requireNonNull(socket.read()).bytes());
            }
            assertThrows(EOFException.class, socket::read);
        }
    }

    @Test
    void shouldJoinWhatIsInParts() throws IOException {
        WebSocket socket = socket(
                frame(false, TEXT, "he".getBytes(UTF_8)),
                frame(true, PING, bytes(3)),
                frame(false, CONTINUATION, new byte[0]),
                frame(true, CONTINUATION, "llo".getBytes(UTF_8)),
                frame(false, BINARY, new byte[0]),
                frame(true, CONTINUATION, bytes(2)));
        WebSocket.Message text = Objects.requireNonNull(socket.read());
        assertTrue(text.text());
        assertEquals("hello", text.asText());
        WebSocket.Message binary = Objects.requireNonNull(socket.read());
        assertFalse(binary.text());
        assertArrayEquals(bytes(2), binary.bytes());
    }

    @Test
    void shouldAnswerPings() throws IOException {
        HandStreams streams = new HandStreams(joined(frame(true, PING, bytes(5)), frame(true, BINARY, bytes(1))), 4);
        assertNotNull(new WebSocket(streams).read());
        assertArrayEquals(frame(true, 10, bytes(5)), unmasked(streams.written.toByteArray()));
    }

    @Test
    void shouldWriteWhatAServerReads() throws IOException {
        HandStreams streams = new HandStreams(new byte[0], 1);
        WebSocket socket = new WebSocket(streams);
        List<Integer> sizes = List.of(0, 1, 125, 126, 65_535, 65_536);
        for (int size : sizes) {
            socket.binary(bytes(size));
        }
        socket.text("é");
        WebSocket read = socket(unmasked(streams.written.toByteArray()));
        for (int size : sizes) {
            assertArrayEquals(bytes(size), Objects.requireNonNull(read.read()).bytes());
        }
        assertEquals("é", Objects.requireNonNull(read.read()).asText());
    }

    @Test
    void shouldEndWithACloseFrame() throws IOException {
        HandStreams streams = new HandStreams(frame(true, CLOSE, closing(1000, "")), 9);
        WebSocket socket = new WebSocket(streams);
        assertNull(socket.read());
        assertTrue(socket.endedWell());
        assertEquals("", socket.lastWords());
        assertTrue(streams.hasEnded());
        assertArrayEquals(frame(true, CLOSE, closing(1000, "")), unmasked(streams.written.toByteArray()));
    }

    @Test
    void shouldSayWhyItWasClosed() throws IOException {
        WebSocket socket = socket(frame(true, CLOSE, closing(1011, "\u001b[31mno\nsuch port")));
        assertNull(socket.read());
        assertFalse(socket.endedWell());
        assertEquals("closed with 1011: \\u001b[31mno\\nsuch port", socket.lastWords());
        WebSocket plain = socket(frame(true, CLOSE, new byte[0]));
        assertNull(plain.read());
        assertTrue(plain.endedWell());
    }

    @Test
    void shouldSayThatItWasCut() {
        byte[] whole = frame(true, BINARY, bytes(300));
        for (int length = 0; length < whole.length; length++) {
            WebSocket socket = socket(java.util.Arrays.copyOf(whole, length));
            assertEquals(
                    "the connection was cut",
                    assertThrows(EOFException.class, socket::read).getMessage());
            assertFalse(socket.endedWell());
        }
    }

    /** In hexadecimal: what no server sends, or what is too much. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                // Masked, reserved bits, unknown kinds.
                "828100000000",
                "c200",
                "a200",
                "9200",
                "8300",
                "8700",
                "8b00",
                "8f00",
                // Control frames: long, in parts.
                "897e007e",
                "887f000000000000007e",
                "0900",
                // Closed with what means that there was no close frame, with too little, with no number.
                "880203ee",
                "880103",
                "88020000",
                // No beginning; a beginning within a message.
                "8000",
                "0000",
                "01008100",
                "02008200",
                // 1 MiB and a byte, 8 EiB, less than nothing.
                "827f0000000000100001",
                "827f7fffffffffffffff",
                "827fffffffffffffffff"
            })
    void shouldTakeNoBrokenFrames(String hex) {
        HandStreams streams = new HandStreams(joined(HexFormat.of().parseHex(hex), new byte[100]), 1);
        WebSocket socket = new WebSocket(streams);
        IOException broken = assertThrows(IOException.class, socket::read);
        assertFalse(broken instanceof EOFException, broken::getMessage);
        assertTrue(streams.hasEnded());
        assertFalse(socket.lastWords().isEmpty());
    }

    @Test
    void shouldBoundAMessageInParts() {
        byte[] part = frame(false, CONTINUATION, new byte[500_000]);
        HandStreams streams = new HandStreams(joined(frame(false, BINARY, new byte[500_000]), part, part), 60_000);
        assertThrows(IOException.class, new WebSocket(streams)::read);
        assertFalse(streams.isEmpty(), "what is too much is not read");
    }

    /** Streams that bring nothing, and so a reader that waits. */
    private static final class Silent implements ByteStreams {
        final CountDownLatch waits = new CountDownLatch(1);
        final CountDownLatch over = new CountDownLatch(1);
        volatile int pings;

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            waits.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                throw new IOException(e);
            }
            return -1;
        }

        @Override
        public void write(byte[] bytes) {
            throw new AssertionError("it may block");
        }

        @Override
        public void offer(byte[] bytes) {
            pings++;
        }

        @Override
        public boolean hasEnded() {
            return over.getCount() == 0;
        }

        @Override
        public void close() {
            over.countDown();
        }
    }

    @Test
    @Timeout(60)
    void shouldEndWhereThereIsNoSignOfLife() throws Exception {
        Silent streams = new Silent();
        WebSocket socket = new WebSocket(streams);
        for (int number = 0; number < 10; number++) {
            assertTrue(socket.checkAlive(), "nobody waits for anything");
        }
        Thread reader = Thread.startVirtualThread(() -> assertThrows(EOFException.class, socket::read));
        streams.waits.await();
        for (int number = 0; number < 3; number++) {
            assertTrue(socket.checkAlive());
        }
        assertEquals(13, streams.pings);
        assertFalse(socket.checkAlive());
        reader.join();
        assertEquals("no sign of life", socket.lastWords());
        assertFalse(socket.checkAlive());
    }
}
