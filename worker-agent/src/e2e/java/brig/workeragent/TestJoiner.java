package brig.workeragent;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A gateway that joins walls of one worker-agent with the brig-egress of another, as plain as can be. */
final class TestJoiner implements AutoCloseable {
    private final Path far;
    private final Path home;
    private final Set<SocketChannel> open = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    /** @param waiting how many connections wait at a time */
    TestJoiner(Path far, Path home, int waiting) {
        this.far = far;
        this.home = home;
        for (int i = 0; i < waiting; i++) {
            again();
        }
    }

    private void again() {
        Thread.ofVirtual().start(() -> {
            try (SocketChannel wall = connect(far, "{\"link\":\"egress\"}")) {
                String wanted = readLine(wall);
                if (wanted != null) {
                    again();
                    join(wall, wanted);
                }
            } catch (IOException e) {
                if (!closed) {
                    System.out.println("the joiner: " + e);
                }
            }
        });
    }

    private void join(SocketChannel wall, String wanted) throws IOException {
        try (SocketChannel egress = connect(home, "{\"link\":\"granted\"," + wanted.substring(1))) {
            Thread back = Thread.ofVirtual().start(() -> pass(egress, wall));
            pass(wall, egress);
            back.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private SocketChannel connect(Path to, String line) throws IOException {
        SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
        open.add(channel);
        channel.connect(UnixDomainSocketAddress.of(to));
        channel.write(ByteBuffer.wrap((line + "\n").getBytes(UTF_8)));
        if (closed) {
            channel.close();
        }
        return channel;
    }

    private static String readLine(SocketChannel from) throws IOException {
        StringBuilder line = new StringBuilder();
        ByteBuffer one = ByteBuffer.allocate(1);
        while (from.read(one.clear()) > 0) {
            if (one.get(0) == '\n') {
                return line.toString();
            }
            line.append((char) one.get(0));
        }
        return null;
    }

    private static void pass(SocketChannel from, SocketChannel to) {
        ByteBuffer buffer = ByteBuffer.allocate(16 * 1024);
        try {
            while (from.read(buffer) >= 0) {
                buffer.flip();
                while (buffer.hasRemaining()) {
                    to.write(buffer);
                }
                buffer.clear();
            }
            to.shutdownOutput();
        } catch (IOException e) {
            try {
                from.close();
                to.close();
            } catch (IOException again) {
                throw new AssertionError(again);
            }
        }
    }

    /** Cuts every connection, and makes no more. */
    @Override
    public void close() throws IOException {
        closed = true;
        for (SocketChannel channel : open) {
            channel.close();
        }
    }
}
