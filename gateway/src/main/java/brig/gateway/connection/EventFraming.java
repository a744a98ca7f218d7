package brig.gateway.connection;

import brig.gateway.stream.Framing;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;

/** A batch of server-sent events as one chunk of an HTTP/1.1 body: RFC 9112, section 7.1. */
final class EventFraming implements Framing {
    static final EventFraming CHUNK = new EventFraming();

    private static final byte[] NEWLINE = "\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final int LENGTH_BYTES_MAX = 8;

    private EventFraming() {}

    @Override
    public int bytesMax() {
        return LENGTH_BYTES_MAX + 2 * NEWLINE.length;
    }

    @Override
    public boolean ofEvents() {
        return true;
    }

    @Override
    public void writeHead(ByteBuf out, int bodyBytes) {
        out.writeCharSequence(Integer.toHexString(bodyBytes), StandardCharsets.US_ASCII);
        out.writeBytes(NEWLINE);
    }

    @Override
    public void writeTail(ByteBuf out) {
        out.writeBytes(NEWLINE);
    }
}
