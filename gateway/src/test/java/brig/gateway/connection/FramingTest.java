package brig.gateway.connection;

import static org.junit.jupiter.api.Assertions.assertEquals;

import brig.gateway.stream.Framing;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FramingTest {
    private static ByteBuf head(Framing framing, int bodyBytes) {
        ByteBuf out = Unpooled.buffer(framing.bytesMax(), framing.bytesMax());
        framing.writeHead(out, bodyBytes);
        return out;
    }

    @ParameterizedTest
    @CsvSource({
        "0, 8100",
        "125, 817d",
        "126, 817e007e",
        "65535, 817effff",
        "65536, 817f0000000000010000",
        "2147483647, 817f000000007fffffff"
    })
    void shouldWriteTheShortestWebSocketLength(int bodyBytes, String expected) {
        assertEquals(expected, ByteBufUtil.hexDump(head(WebSocketFraming.TEXT, bodyBytes)));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "255, ff", "4096, 1000", "2147483647, 7fffffff"})
    void shouldWriteTheLengthOfAChunkInHexadecimal(int bodyBytes, String expected) {
        ByteBuf out = head(EventFraming.CHUNK, bodyBytes);
        EventFraming.CHUNK.writeTail(out);
        assertEquals(expected + "\r\n\r\n", out.toString(StandardCharsets.US_ASCII));
    }

    @Test
    void shouldPutNothingAroundLines() {
        assertEquals(0, head(Framing.NONE, 100).readableBytes());
    }
}
