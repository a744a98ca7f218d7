package brig.gateway.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * A relay of TCP connections that does what bad links do: it is late, it is cut, or it passes nothing any more and says nothing. What is
 * random about it follows from its seed.
 */
final class BadLink implements AutoCloseable {
    private static final int CHUNK_BYTES = 64 * 1024;
    /** What is under way in one direction; who sends more waits. */
    private static final int CHUNKS_MAX = 64;

    private final InetSocketAddress server;
    private final ServerSocket listener = new ServerSocket(0, 128, InetAddress.getLoopbackAddress());
    private final List<Connection> open = new CopyOnWriteArrayList<>();
    private final AtomicInteger connections = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final SplittableRandom random;
    private final Object gate = new Object();
    private boolean stalled;
    private volatile long delayNanos;
    private volatile boolean refusing;
    private volatile long cutWithin = Long.MAX_VALUE;

    private BadLink(InetSocketAddress server, long seed) throws IOException {
        this.server = server;
        random = new SplittableRandom(seed);
        Thread.ofVirtual().start(this::accept);
    }

    /** Starts one that leads to a server and is no bad link yet. */
    static BadLink to(InetSocketAddress server, long seed) throws IOException {
        return new BadLink(server, seed);
    }

    int port() {
        return listener.getLocalPort();
    }

    /** How many connections came, also those that it refused. */
    int connections() {
        return connections.get();
    }

    /** How many bytes it passed on, both ways. */
    long bytes() {
        return bytes.get();
    }

    /** From now on each byte arrives that much later. */
    void delay(Duration oneWay) {
        delayNanos = oneWay.toNanos();
    }

    /** Resets all connections at both ends. */
    void cut() {
        open.forEach(Connection::cut);
    }

    /** Resets all connections at the end of the client. The server keeps its own, on which nothing comes any more. */
    void cutClients() {
        open.forEach(Connection::cutClient);
    }

    /** Resets new connections, or does so no longer. */
    void refuse(boolean refuse) {
        refusing = refuse;
    }

    /** Cuts each new connection after a random number of bytes, both ways together, which is at most this one. */
    void cutWithin(long bytesMax) {
        cutWithin = bytesMax;
    }

    /** Passes nothing on any more. Connections stay open, and new ones are taken. */
    void stall() {
        synchronized (gate) {
            stalled = true;
        }
    }

    /** Passes on what it has held, and what comes. */
    void resume() {
        synchronized (gate) {
            stalled = false;
            gate.notifyAll();
        }
    }

    private void awaitPassage() throws InterruptedException {
        synchronized (gate) {
            while (stalled) {
                gate.wait();
            }
        }
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                connections.incrementAndGet();
                if (refusing) {
                    reset(client);
                    continue;
                }
                long life = cutWithin == Long.MAX_VALUE ? cutWithin : random.nextLong(1, cutWithin + 1);
                Thread.ofVirtual().start(() -> connect(client, life));
            }
        } catch (IOException closed) {
            cut();
        }
    }

    private void connect(Socket client, long life) {
        Socket far = new Socket();
        Connection connection = new Connection(client, far, life);
        open.add(connection);
        try {
            awaitPassage();
            far.connect(server);
            client.setTcpNoDelay(true);
            far.setTcpNoDelay(true);
            connection.pass(client, far);
            connection.pass(far, client);
        } catch (IOException | InterruptedException gone) {
            connection.cut();
        }
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
            socket.close();
        } catch (IOException gone) {
            // It was closed already.
        }
    }

    /** Bytes on their way, or the end of what one side says, and when they arrive. */
    private record Chunk(byte[] bytes, long at) {}

    private final class Connection {
        private final Socket client;
        private final Socket far;
        private final AtomicLong left;
        private final AtomicInteger ends = new AtomicInteger();
        private volatile boolean clientCut;

        private Connection(Socket client, Socket far, long life) {
            this.client = client;
            this.far = far;
            left = new AtomicLong(life);
        }

        private void cut() {
            open.remove(this);
            reset(client);
            reset(far);
        }

        private void cutClient() {
            clientCut = true;
            reset(client);
        }

        private void pass(Socket from, Socket to) {
            BlockingQueue<Chunk> chunks = new ArrayBlockingQueue<>(CHUNKS_MAX);
            Thread.ofVirtual().start(() -> guarded(() -> read(from.getInputStream(), chunks)));
            Thread.ofVirtual().start(() -> guarded(() -> write(chunks, to)));
        }

        private void guarded(Part part) {
            try {
                part.run();
            } catch (IOException | InterruptedException gone) {
                if (!clientCut) {
                    cut();
                }
            }
        }

        private void read(InputStream in, BlockingQueue<Chunk> chunks) throws IOException, InterruptedException {
            byte[] buffer = new byte[CHUNK_BYTES];
            int count;
            do {
                awaitPassage();
                count = in.read(buffer);
                chunks.put(new Chunk(Arrays.copyOf(buffer, Math.max(count, 0)), System.nanoTime() + delayNanos));
            } while (count >= 0);
        }

        private void write(BlockingQueue<Chunk> chunks, Socket to) throws IOException, InterruptedException {
            OutputStream out = to.getOutputStream();
            Chunk chunk = chunks.take();
            for (; chunk.bytes.length > 0; chunk = chunks.take()) {
                awaitArrival(chunk);
                long before = left.getAndAdd(-chunk.bytes.length);
                int count = Math.clamp(before, 0, chunk.bytes.length);
                bytes.addAndGet(count);
                out.write(chunk.bytes, 0, count);
                if (count < chunk.bytes.length) {
                    cut();
                    return;
                }
            }
            awaitArrival(chunk);
            to.shutdownOutput();
            if (ends.incrementAndGet() == 2) {
                open.remove(this);
                client.close();
                far.close();
            }
        }

        private void awaitArrival(Chunk chunk) throws InterruptedException {
            for (long early = chunk.at - System.nanoTime(); early > 0; early = chunk.at - System.nanoTime()) {
                LockSupport.parkNanos(early);
            }
            awaitPassage();
        }
    }

    private interface Part {
        void run() throws IOException, InterruptedException;
    }

    /** Ends it, and every connection through it. */
    @Override
    public void close() throws IOException {
        listener.close();
        cut();
        resume();
    }
}
