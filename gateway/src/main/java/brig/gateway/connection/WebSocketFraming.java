package brig.gateway.connection;

import brig.gateway.stream.Framing;
import io.netty.buffer.ByteBuf;

/** A batch as one unmasked text message in one frame: RFC 6455, section 5.2. */
public final class WebSocketFraming implements Framing {
    public static final WebSocketFraming TEXT = new WebSocketFraming();

    private static final int HEAD_BYTES_MAX = 10;
    private static final int FINAL_TEXT = 0x81;
    private static final int LENGTH_7_MAX = 125;
    private static final int LENGTH_16 = 126;
    private static final int LENGTH_64 = 127;
    private static final int LENGTH_16_MAX = 0xffff;

    private WebSocketFraming() {}

    @Override
    public int bytesMax() {
        return HEAD_BYTES_MAX;
    }

    @Override
    public boolean ofEvents() {
        return false;
    }

    @Override
    public void writeHead(ByteBuf out, int bodyBytes) {
        out.writeByte(FINAL_TEXT);
        if (bodyBytes <= LENGTH_7_MAX) {
            out.writeByte(bodyBytes);
        } else if (bodyBytes <= LENGTH_16_MAX) {
            out.writeByte(LENGTH_16).writeShort(bodyBytes);
        } else {
            out.writeByte(LENGTH_64).writeLong(bodyBytes);
        }
    }

    @Override
    public void writeTail(ByteBuf out) {}
}
