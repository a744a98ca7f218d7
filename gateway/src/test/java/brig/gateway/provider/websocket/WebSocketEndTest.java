package brig.gateway.provider.websocket;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Bytes over a WebSocket, and the upgrade of a server behind them. */
class WebSocketEndTest {
    private static final byte[] CLOSED = {(byte) 0x88, 2, 3, (byte) 0xe8};
    private static final byte[] BROKEN = {(byte) 0x88, 2, 3, (byte) 0xf3};

    private final ByteArrayOutputStream there = new ByteArrayOutputStream();

    private void bring(String text) {
        there.write(0x82);
        there.write(126);
        there.write(text.length() >> 8);
        there.write(text.length());
        there.writeBytes(text.getBytes(US_ASCII));
    }

    private WebSocketEnd end() {
        return new WebSocketEnd(new WebSocket(new HandStreams(there.toByteArray(), 1000)));
    }

    private static void upgrade(WebSocketEnd end) throws IOException {
        LinkUpgrade.of(end, "127.0.0.1:7777", "/link", Map.of("X-Brig-Link", "token"));
    }

    @Test
    void shouldForgetTheBordersOfMessages() throws IOException {
        bring("he");
        bring("");
        bring("llo");
        there.writeBytes(CLOSED);
        WebSocketEnd end = end();
        assertEquals('h', end.input().read());
        assertArrayEquals("ello".getBytes(US_ASCII), end.input().readAllBytes());
        assertEquals(-1, end.input().read());
        assertEquals("", end.lastWords());
    }

    @Test
    void shouldBreakWhereItWasNotClosedWell() throws IOException {
        bring("he");
        there.writeBytes(BROKEN);
        WebSocketEnd end = end();
        assertArrayEquals("he".getBytes(US_ASCII), end.input().readNBytes(2));
        assertThrows(IOException.class, () -> end.input().read());
        assertEquals("closed with 1011", end.lastWords());
        there.reset();
        bring("he");
        WebSocketEnd cut = end();
        assertArrayEquals("he".getBytes(US_ASCII), cut.input().readNBytes(2));
        assertThrows(IOException.class, () -> cut.input().read());
    }

    @Test
    void shouldTakeNoText() {
        there.writeBytes(new byte[] {(byte) 0x81, 1, 'x'});
        assertThrows(IOException.class, () -> end().input().read());
    }

    @Test
    void shouldReadNothingBehindTheHead() throws IOException {
        bring("HTTP/1.1 101 Switching Protocols\r\nUpgrade: brig-l");
        bring("ink\r\n\r");
        bring("\nabc");
        WebSocketEnd end = end();
        upgrade(end);
        assertArrayEquals("abc".getBytes(US_ASCII), end.input().readNBytes(3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 401 Unauthorized\r\n\r\n",
                "HTTP/1.1 200 OK\r\n\r\n",
                "HTTP/1.1 1010\r\n\r\n",
                "HTTP/1.0 101 x\r\n\r\n",
                "\r\n\r\n",
                "HTTP/1.1 \u001b[31m\r\n\r\n"
            })
    void shouldSayThatTheServerRefuses(String head) {
        bring(head);
        IOException refused = assertThrows(IOException.class, () -> upgrade(end()));
        assertTrue(refused.getMessage().startsWith("the server in the sandbox refuses"), refused::getMessage);
        assertTrue(refused.getMessage().chars().noneMatch(Character::isISOControl));
    }

    @Test
    void shouldReadNoEndlessHead() {
        for (int number = 0; number < 10; number++) {
            bring("x".repeat(1000));
        }
        assertTrue(assertThrows(IOException.class, () -> upgrade(end()))
                .getMessage()
                .contains("without an end"));
    }
}
