package brig.workeragent.relay;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.wire.LineDecoder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads a socket line by line, and writes whole buffers to it. Both block the calling virtual thread. */
public final class Lines {
    private static final Logger LOG = LoggerFactory.getLogger(Lines.class);
    private static final int READ_BYTES_MAX = 16 * 1024;

    private Lines() {}

    /**
     * Reads the first line.
     *
     * @param bytes holds the line at most; it is left with what came after it, to be read
     * @return the line without its end, or null if the peer closed before
     * @throws BrigException {@code LINE_TOO_LONG}
     */
    public static byte @Nullable [] first(SocketChannel channel, ByteBuffer bytes) throws IOException {
        for (int seen = 0; channel.read(bytes) >= 0; seen = bytes.position()) {
            for (int at = seen; at < bytes.position(); at++) {
                if (bytes.get(at) == '\n') {
                    byte[] line = new byte[at];
                    bytes.flip().get(line).get();
                    return line;
                }
            }
            if (!bytes.hasRemaining()) {
                throw new BrigException(ErrorCode.LINE_TOO_LONG, "the first line is too long");
            }
        }
        return null;
    }

    /** Passes the peer's lines to the decoder until it closes, those in {@code before} first. */
    public static void read(SocketChannel channel, ByteBuffer before, LineDecoder decoder) throws IOException {
        byte[] early = new byte[before.remaining()];
        before.get(early);
        decoder.decode(early, 0, early.length);
        ByteBuffer buffer = ByteBuffer.allocate(READ_BYTES_MAX);
        while (channel.read(buffer) >= 0) {
            decoder.decode(buffer.array(), 0, buffer.position());
            buffer.clear();
        }
    }

    /** Writes all of the buffers. */
    public static void write(SocketChannel channel, ByteBuffer... buffers) throws IOException {
        int last = buffers.length - 1;
        while (last >= 0 && buffers[last].hasRemaining()) {
            channel.write(buffers);
        }
    }

    /** Ends a connection; the threads that read and write it follow. */
    public static void close(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException e) {
            LOG.debug("close failed: {}", e.toString());
        }
    }
}
