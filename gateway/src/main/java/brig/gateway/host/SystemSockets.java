package brig.gateway.host;

import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import brig.protocol.io.SocketFile;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.Channels;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Sockets of this host, with virtual threads: one that listens, and three for each connection. */
public final class SystemSockets implements LocalSockets {
    private static final Logger log = LoggerFactory.getLogger(SystemSockets.class);
    private static final int CHUNK = 64 * 1024;

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
    public CompletionStage<Joint> join(Path socket, List<String> command, int connectionsMax) {
        return apart(() -> {
            ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
            binding.lock();
            try {
                Path bound = SocketFile.prepare(socket);
                server.bind(UnixDomainSocketAddress.of(bound));
                Files.setPosixFilePermissions(bound, PosixFilePermissions.fromString("rw-------"));
                SocketFile.publish(bound, socket);
            } catch (IOException | BrigException e) {
                server.close();
                throw e;
            } finally {
                binding.unlock();
            }
            return new OneJoint(server, command, connectionsMax);
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

    /** One listener. */
    private static final class OneJoint implements Joint {
        private final ServerSocketChannel server;
        private final List<String> command;
        private final Semaphore places;
        private final Set<Connection> live = ConcurrentHashMap.newKeySet();
        private volatile boolean closed;

        OneJoint(ServerSocketChannel server, List<String> command, int connectionsMax) {
            this.server = server;
            this.command = command;
            places = new Semaphore(connectionsMax);
            Thread.startVirtualThread(this::accept);
        }

        private void accept() {
            try {
                while (!closed) {
                    SocketChannel accepted = server.accept();
                    if (places.tryAcquire()) {
                        Thread.startVirtualThread(() -> serve(accepted));
                    } else {
                        log.warn("a connection to a host is refused: its sshd takes no more programs at once");
                        accepted.close();
                    }
                }
            } catch (IOException e) {
                if (!closed) {
                    log.error("a link takes no connections any more: {}", Reason.of(e));
                }
            }
        }

        private void serve(SocketChannel accepted) {
            try (accepted) {
                Process process = new ProcessBuilder(command)
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
                Connection connection = new Connection(accepted, process);
                live.add(connection);
                try {
                    if (!closed) {
                        connection.run();
                    }
                } finally {
                    process.destroy();
                    live.remove(connection);
                }
            } catch (IOException e) {
                log.debug("a connection to a host ended: {}", Reason.of(e));
            } finally {
                places.release();
            }
        }

        @Override
        public void close() {
            closed = true;
            quietly(server);
            live.forEach(Connection::end);
        }
    }

    private static void quietly(java.io.Closeable open) {
        try {
            open.close();
        } catch (IOException e) {
            log.debug("closing: {}", Reason.of(e));
        }
    }

    /** A connection and the program that it is joined to. */
    private record Connection(SocketChannel socket, Process process) {
        void run() {
            Thread up =
                    Thread.startVirtualThread(() -> copy(Channels.newInputStream(socket), process.getOutputStream()));
            copy(process.getInputStream(), Channels.newOutputStream(socket));
            quietly(socket);
            up.interrupt();
        }

        void end() {
            process.destroy();
            quietly(socket);
        }

        private static void copy(InputStream from, OutputStream to) {
            byte[] chunk = new byte[CHUNK];
            try (to) {
                for (int read = from.read(chunk); read >= 0; read = from.read(chunk)) {
                    to.write(chunk, 0, read);
                    to.flush();
                }
            } catch (IOException ended) {
                return;
            }
        }
    }
}
