package brig.loadtests.client;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.SocketAddress;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import org.jspecify.annotations.Nullable;

/**
 * A socket read byte by byte, so that it can be cut at any byte. No wait is unlimited: silence beyond the patience is a
 * violation. Used by one thread.
 */
public final class Wire implements AutoCloseable {
    private static final int BUFFER_BYTES = 16 * 1024;

    private final SocketChannel channel;
    private final Selector selector = Selector.open();
    private final SelectionKey key;
    private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES).limit(0);
    private final long patienceMs;
    private long allowedBytes = Long.MAX_VALUE;

    /** @param receiveBytes the kernel's receive buffer, 0 for its default */
    public Wire(SocketAddress address, long patienceMs, int receiveBytes) throws IOException {
        this.patienceMs = patienceMs;
        boolean unix = address instanceof UnixDomainSocketAddress;
        channel = unix ? SocketChannel.open(StandardProtocolFamily.UNIX) : SocketChannel.open();
        if (!unix) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        if (receiveBytes > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBytes);
        }
        try {
            channel.connect(address);
            channel.configureBlocking(false);
            key = channel.register(selector, SelectionKey.OP_READ);
        } catch (IOException e) {
            channel.close();
            selector.close();
            throw e;
        }
    }

    public long patienceMs() {
        return patienceMs;
    }

    /** Limits the bytes to be read; after them the connection seems to have ended. */
    public void cutAfter(long bytes) {
        allowedBytes = bytes;
    }

    /** The next byte, -1 at the end of the connection. */
    public int read() throws IOException {
        if (allowedBytes <= 0 || (!buffer.hasRemaining() && !fill())) {
            return -1;
        }
        allowedBytes--;
        return buffer.get() & 0xff;
    }

    private boolean fill() throws IOException {
        buffer.clear().limit((int) Math.min(BUFFER_BYTES, allowedBytes));
        int count = receive();
        while (count == 0) {
            await(SelectionKey.OP_READ);
            count = receive();
        }
        buffer.flip();
        return count > 0;
    }

    private int receive() {
        try {
            return channel.read(buffer);
        } catch (IOException reset) {
            return -1;
        }
    }

    private void await(int operation) throws IOException {
        key.interestOps(operation);
        int ready = selector.select(patienceMs);
        selector.selectedKeys().clear();
        Violation.require(ready > 0, "the server said nothing for " + patienceMs + " ms");
    }

    /** That many bytes, null if the connection ended before. */
    public byte @Nullable [] bytes(long count) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (long i = 0; i < count; i++) {
            int next = read();
            if (next < 0) {
                return null;
            }
            bytes.write(next);
        }
        return bytes.toByteArray();
    }

    /** The next line without its LF, null if the connection ended within it. */
    public byte @Nullable [] line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int next = read(); next != '\n'; next = read()) {
            if (next < 0) {
                return null;
            }
            line.write(next);
        }
        return line.toByteArray();
    }

    /** Sends all bytes. A closed peer is noticed by the next read. */
    public void send(byte[] bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        try {
            while (rest.hasRemaining()) {
                if (channel.write(rest) == 0) {
                    await(SelectionKey.OP_WRITE);
                }
            }
        } catch (SocketException | ClosedChannelException closed) {
            rest.position(rest.limit());
        } catch (IOException broken) {
            if (!String.valueOf(broken.getMessage()).matches("Broken pipe|Connection reset.*")) {
                throw broken;
            }
        }
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
