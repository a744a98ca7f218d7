package brig.workeragent.link;

import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Reads a socket line by line, and writes whole buffers to it. Both block the calling virtual thread. */
final class Lines {
    private static final int READ_BYTES_MAX = 16 * 1024;

    private Lines() {}

    /** Passes the peer's lines to the decoder until it closes. */
    static void read(SocketChannel channel, LineDecoder decoder) throws IOException {
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES_MAX);
        while (channel.read(buffer) >= 0) {
            decoder.decode(buffer.array(), 0, buffer.position());
            buffer.clear();
        }
    }

    /** Writes all of the buffers. */
    static void write(SocketChannel channel, ByteBuffer... buffers) throws IOException {
        int last = buffers.length - 1;
        while (last >= 0 && buffers[last].hasRemaining()) {
            channel.write(buffers);
        }
    }
}
