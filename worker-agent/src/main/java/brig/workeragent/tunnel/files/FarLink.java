package brig.workeragent.tunnel.files;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The pipes of one mount, with a thread for each. All that is decided about packets is decided under one lock. No more
 * of the client is read than fits, so a slow far side slows sshfs down; what the far side says fits, as it was asked
 * for. It ends once, for whatever reason: when a side closes its pipe, when the far side breaks the protocol, and when
 * it has left something unanswered for too long.
 */
final class FarLink {
    private static final long COST_MAX = 16L * 1024 * 1024;
    private static final int REQUESTS_MAX = 1024;
    private static final int BUFFER_BYTES = 64 * 1024;
    private static final int WATCH_MS = 100;
    /** One request may take this many deadlines while others are answered. */
    private static final int AGE_FACTOR = 6;

    private static final int EXTENSIONS_MAX = 64;
    private static final byte[] LAST = {};
    private static final Logger LOG = LoggerFactory.getLogger(FarLink.class);

    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final BlockingQueue<byte[]> toFar = new LinkedBlockingQueue<>();
    private final BlockingQueue<byte[]> toClient = new LinkedBlockingQueue<>();
    private final CompletableFuture<Set<String>> hello = new CompletableFuture<>();
    private final CompletableFuture<String> ended = new CompletableFuture<>();
    private final Exchanges exchanges = new Exchanges(toFar::add, System::nanoTime);
    private final FarFolder folder = new FarFolder(exchanges);
    private final String name;
    private final Duration deadline;
    private long unwrittenBytes;

    /** @param name for its threads */
    FarLink(String name, Duration deadline) {
        this.name = name;
        this.deadline = deadline;
    }

    /** Greets the server at the other end of these pipes. */
    void start(InputStream fromFar, OutputStream far) {
        toFar.add(new byte[] {Sftp.INIT, 0, 0, 0, Sftp.VERSION_3});
        thread("to-far", () -> write(far, toFar, length -> {}));
        thread("from-far", () -> {
            read(fromFar, this::handleFar);
            end("the far side closed the connection");
        });
        thread("watch", this::watch);
    }

    /** The extensions of the server, when it has answered. */
    CompletableFuture<Set<String>> hello() {
        return hello;
    }

    /** Why it ended. */
    CompletableFuture<String> ended() {
        return ended;
    }

    /** Asks the far side; what comes of it fails when the link ends. */
    <T> CompletableFuture<T> ask(Function<FarFolder, CompletableFuture<T>> question) {
        CompletableFuture<T> asked = new CompletableFuture<>();
        var _ = ended.thenAccept(reason -> asked.completeExceptionally(new IOException(reason)));
        lock.lock();
        try {
            exchanges.then(question.apply(folder), asked::complete);
        } finally {
            lock.unlock();
        }
        return asked;
    }

    /** Serves a client at the other end of these pipes. */
    void attach(InputStream fromClient, OutputStream client, Function<FarFolder, SftpFilter> made) {
        SftpFilter filter = made.apply(folder);
        thread("to-client", () -> write(client, toClient, this::written));
        thread("from-client", () -> {
            read(fromClient, packet -> handleClient(filter, packet));
            end("unmounted");
        });
    }

    /** Where a filter sends what is for the client. Under the lock. */
    void toClient(byte[] packet) {
        unwrittenBytes += packet.length;
        toClient.add(packet);
    }

    /** Runs under the lock. */
    void locked(Runnable action) {
        lock.lock();
        try {
            action.run();
        } finally {
            lock.unlock();
        }
    }

    /** Ends it; only the first reason counts. The client sees the end of its pipe. */
    void end(String reason) {
        if (ended.complete(reason)) {
            hello.completeExceptionally(new IOException(reason));
            toFar.add(LAST);
            toClient.add(LAST);
            locked(changed::signalAll);
        }
    }

    private void handleFar(byte[] packet) {
        if (!hello.isDone()) {
            hello.complete(extensions(packet));
            return;
        }
        lock.lock();
        try {
            exchanges.handle(packet);
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    private static Set<String> extensions(byte[] packet) {
        SftpReader in = new SftpReader(packet);
        if (in.u8() != Sftp.VERSION || in.u32() != Sftp.VERSION_3) {
            throw new SftpFault("no server of SFTP version 3");
        }
        Set<String> names = new HashSet<>();
        while (in.remaining() > 0 && names.size() < EXTENSIONS_MAX) {
            names.add(new String(in.string(Sftp.PATH_BYTES_MAX), US_ASCII));
            in.string(Sftp.PATH_BYTES_MAX);
        }
        return names;
    }

    private void handleClient(SftpFilter filter, byte[] packet) {
        lock.lock();
        try {
            while (!ended.isDone()
                    && (exchanges.cost() + unwrittenBytes > COST_MAX || exchanges.count() > REQUESTS_MAX)) {
                changed.awaitUninterruptibly();
            }
            filter.request(packet);
        } finally {
            lock.unlock();
        }
    }

    private void written(int bytes) {
        locked(() -> {
            unwrittenBytes -= bytes;
            changed.signalAll();
        });
    }

    private void watch() {
        lock.lock();
        try {
            while (!ended.isDone()) {
                var _ = changed.await(WATCH_MS, TimeUnit.MILLISECONDS);
                if (exchanges.silentNanos() > deadline.toNanos()
                        || exchanges.oldestNanos() > AGE_FACTOR * deadline.toNanos()) {
                    end("the far side did not answer for " + deadline.toSeconds() + " s");
                }
            }
        } catch (InterruptedException stopped) {
            end("stopped");
        } finally {
            lock.unlock();
        }
    }

    private interface Taker {
        void take(byte[] packet);
    }

    private void read(InputStream from, Taker taker) {
        try (DataInputStream in = new DataInputStream(new BufferedInputStream(from, BUFFER_BYTES))) {
            while (!ended.isDone()) {
                byte[] packet = packet(in);
                if (packet == null) {
                    return;
                }
                taker.take(packet);
            }
        } catch (IOException closed) {
            end("a pipe broke");
        } catch (SftpFault fault) {
            end("the protocol was broken: " + fault.getMessage());
        } catch (RuntimeException fault) {
            LOG.error("a mount of another host ends", fault);
            end("a fault of Brig");
        }
    }

    /** The length is judged before memory is taken for it. Null at the end of the pipe. */
    static byte @Nullable [] packet(DataInputStream in) throws IOException {
        int first = in.read();
        if (first < 0) {
            return null;
        }
        int length = first << 24 | in.readUnsignedByte() << 16 | in.readUnsignedShort();
        if (length < 1 || length > Sftp.PACKET_BYTES_MAX) {
            throw new SftpFault("a packet of " + Integer.toUnsignedString(length) + " bytes");
        }
        byte[] packet = new byte[length];
        in.readFully(packet);
        return packet;
    }

    private interface Written {
        void bytes(int length);
    }

    private void write(OutputStream to, BlockingQueue<byte[]> packets, Written written) {
        try (DataOutputStream out = new DataOutputStream(new BufferedOutputStream(to, BUFFER_BYTES))) {
            for (byte[] packet = packets.take(); packet != LAST; packet = packets.take()) {
                out.writeInt(packet.length);
                out.write(packet);
                written.bytes(packet.length);
                if (packets.isEmpty()) {
                    out.flush();
                }
            }
        } catch (IOException | InterruptedException closed) {
            end("a pipe broke");
        }
    }

    private void thread(String what, Runnable task) {
        Thread.ofPlatform().daemon().name("tunnel-" + name + "-" + what).start(task);
    }
}
