package brig.gateway.e2e;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** A plain connection. It reads from the socket only when it is asked for a line. */
final class Wire implements Source {
    private final SocketChannel channel;
    private final Selector selector;
    private final ByteBuffer buffer = ByteBuffer.allocate(64 * 1024).flip();

    private Wire(SocketChannel channel, SocketAddress address) throws IOException {
        this.channel = channel;
        channel.connect(address);
        channel.configureBlocking(false);
        selector = Selector.open();
        channel.register(selector, 0);
    }

    static Wire unix(Path socket) throws IOException {
        return new Wire(SocketChannel.open(StandardProtocolFamily.UNIX), UnixDomainSocketAddress.of(socket));
    }

    static Wire tcp(String host, int port) throws IOException {
        return new Wire(SocketChannel.open(), new InetSocketAddress(host, port));
    }

    /** Sends a text as it is, with no newline behind it. */
    public Wire send(String text) throws IOException {
        return send(text.getBytes(StandardCharsets.UTF_8));
    }

    public Wire send(byte... bytes) throws IOException {
        ByteBuffer rest = ByteBuffer.wrap(bytes);
        while (rest.hasRemaining()) {
            if (channel.write(rest) == 0) {
                await(SelectionKey.OP_WRITE, "room to write");
            }
        }
        return this;
    }

    /** Nothing more is sent; what comes can still be read. */
    Wire endOutput() throws IOException {
        channel.shutdownOutput();
        return this;
    }

    Wire sendLine(String line) throws IOException {
        return send(line + "\n");
    }

    @Override
    public String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        while (fill()) {
            while (buffer.hasRemaining()) {
                byte next = buffer.get();
                if (next == '\n') {
                    return line.toString(StandardCharsets.UTF_8);
                }
                line.write(next);
            }
        }
        return line.size() == 0 ? null : line.toString(StandardCharsets.UTF_8);
    }

    /** So many bytes as text. */
    String text(int bytes) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        while (text.size() < bytes && fill()) {
            while (text.size() < bytes && buffer.hasRemaining()) {
                text.write(buffer.get());
            }
        }
        return text.toString(StandardCharsets.UTF_8);
    }

    /** Everything up to the end of the connection. */
    String rest() throws IOException {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        while (fill()) {
            while (buffer.hasRemaining()) {
                all.write(buffer.get());
            }
        }
        return all.toString(StandardCharsets.UTF_8);
    }

    private boolean fill() throws IOException {
        while (!buffer.hasRemaining()) {
            int count = channel.read(buffer.clear());
            buffer.flip();
            if (count < 0) {
                return false;
            }
            if (count == 0) {
                await(SelectionKey.OP_READ, "something to read");
            }
        }
        return true;
    }

    private void await(int operation, String what) throws IOException {
        channel.keyFor(selector).interestOps(operation);
        if (selector.select(TimeUnit.SECONDS.toMillis(Await.DEADLINE_SECONDS)) == 0) {
            throw new AssertionError("not within " + Await.DEADLINE_SECONDS + " s: " + what);
        }
        selector.selectedKeys().clear();
    }

    @Override
    public void close() throws IOException {
        selector.close();
        channel.close();
    }
}
