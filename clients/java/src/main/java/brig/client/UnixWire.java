package brig.client;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.locks.ReentrantLock;

/** A Unix socket. */
final class UnixWire implements Wire {
    private static final int PIECE_BYTES = 65_536;

    private final SocketChannel channel;
    private final ByteBuffer piece = ByteBuffer.allocate(PIECE_BYTES);
    private final ReentrantLock writing = new ReentrantLock();

    private UnixWire(SocketChannel channel) {
        this.channel = channel;
    }

    static UnixWire dial(Path path) {
        try {
            SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
            try {
                channel.connect(UnixDomainSocketAddress.of(path));
                return new UnixWire(channel);
            } catch (IOException e) {
                channel.close();
                throw e;
            }
        } catch (IOException e) {
            throw BrigException.absent("cannot connect to " + path + ": " + e.getMessage(), e);
        }
    }

    @Override
    public byte[] read() {
        try {
            piece.clear();
            int count = channel.read(piece);
            byte[] bytes = new byte[Math.max(0, count)];
            piece.flip().get(bytes);
            return bytes;
        } catch (IOException e) {
            return new byte[0];
        }
    }

    @Override
    public void write(String lines) {
        ByteBuffer rest = ByteBuffer.wrap(lines.getBytes(StandardCharsets.UTF_8));
        writing.lock();
        try {
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        } catch (IOException e) {
            // Who reads finds the end, and tells everybody.
            close();
        } finally {
            writing.unlock();
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new BrigException("CONNECTION_LOST", "a socket cannot be closed", e);
        }
    }
}
