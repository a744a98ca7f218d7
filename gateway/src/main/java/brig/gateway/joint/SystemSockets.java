package brig.gateway.joint;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.SocketFile;
import java.io.Closeable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sockets of this host, with virtual threads: one that listens, and two for each connection. */
public final class SystemSockets implements LocalSockets {
    private static final Logger log = LoggerFactory.getLogger(SystemSockets.class);

    private final Executor loop;
    /** All are made in one folder. */
    private final Lock binding = new ReentrantLock();

    /** @param loop takes what is to be told on the event loop */
    public SystemSockets(Executor loop) {
        this.loop = loop;
    }

    @Override
    public CompletionStage<Void> clear(Path socket) {
        return apart(() -> {
            Files.deleteIfExists(socket);
            return null;
        });
    }

    @Override
    public CompletionStage<Joint> join(Path socket, FarEnd.Opener far, Consumer<String> ended) {
        return apart(() -> {
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            binding.lock();
            try {
                Path bound = SocketFile.prepare(socket);
                server.bind(UnixDomainSocketAddress.of(bound), NearEnd.CONNECTIONS_MAX);
                Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
                SocketFile.publish(bound, socket);
                return new OneJoint(server, far.open(), ended);
            } catch (IOException | BrigException e) {
                server.close();
                throw e;
            } finally {
                binding.unlock();
            }
        });
    }

    /** Work that may block. */
    private interface Task<T> {
        @Nullable
        T run() throws IOException;
    }

    private <T> CompletionStage<T> apart(Task<T> task) {
        CompletableFuture<T> done = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                T result = task.run();
                loop.execute(() -> done.complete(result));
            } catch (IOException e) {
                BrigException why = new BrigException(ErrorCode.INTERNAL, "a socket of a link: " + Reason.withFile(e));
                loop.execute(() -> done.completeExceptionally(why));
            } catch (BrigException e) {
                loop.execute(() -> done.completeExceptionally(e));
            }
        });
        return done;
    }

    /** One listener and its far end. */
    private final class OneJoint implements Joint {
        private final ServerSocketChannel server;
        private final FarEnd far;
        private final NearEnd near;
        private volatile boolean closed;

        OneJoint(ServerSocketChannel server, FarEnd far, Consumer<String> ended) {
            this.server = server;
            this.far = far;
            near = new NearEnd(far.input(), far.output());
            // All bytes of the link come through here: it has a thread of its own.
            Thread.ofPlatform().daemon().name("brig-joint").start(() -> receive(ended));
            Thread.startVirtualThread(this::accept);
        }

        private void receive(Consumer<String> ended) {
            String why = near.receive();
            boolean isNews = !closed;
            closed = true;
            quietly(server);
            String said = far.lastWords();
            far.close();
            if (isNews) {
                loop.execute(() -> ended.accept(said.isEmpty() ? why : why + ": " + said));
            }
        }

        private void accept() {
            boolean isFull = false;
            try {
                while (!closed) {
                    SocketChannel accepted = server.accept();
                    if (near.serve(new OneLocal(accepted))) {
                        continue;
                    }
                    accepted.close();
                    if (!isFull) {
                        isFull = true;
                        log.warn("a connection to a host is refused: it has {} already", NearEnd.CONNECTIONS_MAX);
                    }
                }
            } catch (IOException e) {
                if (!closed) {
                    log.error("a link takes no connections any more: {}", Reason.of(e));
                }
            }
        }

        @Override
        public void close() {
            closed = true;
            quietly(server);
            far.close();
        }
    }

    private static void quietly(Closeable open) {
        try {
            open.close();
        } catch (IOException e) {
            log.debug("closing: {}", Reason.of(e));
        }
    }

    /** A connection of this host. */
    private record OneLocal(SocketChannel socket) implements Local {
        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            return socket.read(ByteBuffer.wrap(into, offset, length));
        }

        @Override
        public void write(byte[] from, int length) throws IOException {
            ByteBuffer bytes = ByteBuffer.wrap(from, 0, length);
            while (bytes.hasRemaining()) {
                socket.write(bytes);
            }
        }

        @Override
        public void endOutput() throws IOException {
            socket.shutdownOutput();
        }

        @Override
        public void close() {
            quietly(socket);
        }
    }
}
