package brig.loadtests.conformance;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.ReentrantLock;

/** A connection of a mini server: small buffers, so that a reader who stops is soon noticed. */
final class MiniChannel {
    private static final int SEND_BYTES = 8 * 1024;

    /** How many connections there were when it came, this one among them. */
    final int open;

    private final SocketChannel channel;
    private final InputStream input;
    private final ReentrantLock writing = new ReentrantLock();
    private volatile long writingSinceNanos;
    private volatile boolean left;
    private volatile boolean stopping;
    private final List<Runnable> readers = new CopyOnWriteArrayList<>();

    MiniChannel(SocketChannel channel, int open) throws IOException {
        this.open = open;
        channel.setOption(StandardSocketOptions.SO_SNDBUF, SEND_BYTES);
        if (channel.supportedOptions().contains(StandardSocketOptions.TCP_NODELAY)) {
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
        }
        this.channel = channel;
        input = new BufferedInputStream(Channels.newInputStream(channel));
    }

    InputStream input() {
        return input;
    }

    String line() throws IOException {
        StringBuilder line = new StringBuilder();
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                throw new IOException("closed");
            }
            line.append((char) next);
        }
        return line.toString().stripTrailing();
    }

    void write(String text) throws IOException {
        write(text.getBytes(StandardCharsets.UTF_8));
    }

    void write(byte[] bytes) throws IOException {
        writing.lock();
        try {
            writingSinceNanos = System.nanoTime();
            ByteBuffer rest = ByteBuffer.wrap(bytes);
            while (rest.hasRemaining()) {
                channel.write(rest);
            }
        } finally {
            writingSinceNanos = 0;
            writing.unlock();
        }
    }

    /** Whether one write has lasted for longer than that. */
    boolean isStalled(long ms) {
        long since = writingSinceNanos;
        return since != 0 && System.nanoTime() - since > ms * 1_000_000;
    }

    /** What to do when the client is too slow to be waited for. */
    void onLeave(Runnable reader) {
        readers.add(reader);
    }

    void leave() {
        if (!left) {
            left = true;
            readers.forEach(Runnable::run);
        }
    }

    /** The server stops: its readers say their last word when they are woken. */
    void stop() {
        stopping = true;
    }

    boolean isStopping() {
        return stopping;
    }

    boolean isLeft() {
        return left;
    }

    boolean isOpen() {
        return channel.isOpen();
    }

    /** No more is written; what was written still arrives. */
    void finish() {
        try {
            channel.shutdownOutput();
        } catch (IOException gone) {
            close();
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
