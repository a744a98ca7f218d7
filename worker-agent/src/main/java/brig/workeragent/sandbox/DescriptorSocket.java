package brig.workeragent.sandbox;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoop;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.epoll.EpollDomainSocketChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.DomainSocketReadMode;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.DefaultThreadFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Receives the sockets of walls from one brig-launcher, in the order of its replies: the reader of a reply takes as
 * many as it announces. The JDK cannot receive descriptors; Netty can.
 */
final class DescriptorSocket implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(DescriptorSocket.class);
    private static final AtomicInteger SOCKETS = new AtomicInteger();

    private final Path path;
    private final long launcher;
    private final MultiThreadIoEventLoopGroup group;
    private final EventLoop loop;

    private volatile boolean closed;

    // State owned by the event loop.
    private final ArrayDeque<Integer> arrived = new ArrayDeque<>();
    private final ArrayDeque<Taker> takers = new ArrayDeque<>();

    private record Taker(int count, CompletableFuture<List<Integer>> taken) {}

    private DescriptorSocket(Path path, long launcher) {
        this.path = path;
        this.launcher = launcher;
        this.group = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("brig-descriptors", true), EpollIoHandler.newFactory());
        this.loop = group.next();
    }

    /**
     * Listens for that launcher and accepts no other process. Blocks.
     *
     * @param folder created if absent
     */
    static DescriptorSocket open(Path folder, long launcher) throws IOException {
        Files.createDirectories(folder);
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwx--x--x"));
        Path path = folder.resolve(ProcessHandle.current().pid() + "-" + SOCKETS.incrementAndGet());
        Files.deleteIfExists(path);
        var socket = new DescriptorSocket(path, launcher);
        try {
            socket.bind();
            Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw-rw-"));
            return socket;
        } catch (RuntimeException failed) {
            socket.close();
            throw new IOException(failed);
        }
    }

    private void bind() {
        new ServerBootstrap()
                .group(group)
                .channel(EpollServerDomainSocketChannel.class)
                .childOption(EpollChannelOption.DOMAIN_SOCKET_READ_MODE, DomainSocketReadMode.FILE_DESCRIPTORS)
                .childHandler(new ChannelInitializer<EpollDomainSocketChannel>() {
                    @Override
                    protected void initChannel(EpollDomainSocketChannel peer) throws IOException {
                        // As the kernel reports it: the launcher may run as another user than this process.
                        if (peer.peerCredentials().pid() == launcher)
                            peer.pipeline().addLast(new Arrivals());
                        else
                            throw new IOException(
                                    "process " + peer.peerCredentials().pid() + " is not the launcher");
                    }
                })
                .bind(new DomainSocketAddress(path.toFile()))
                .syncUninterruptibly();
    }

    Path path() {
        return path;
    }

    /** Thread-safe. The next {@code count} descriptors, owned by the caller; fails if they will not come. */
    CompletableFuture<List<Integer>> take(int count) {
        var taken = new CompletableFuture<List<Integer>>();
        try {
            loop.execute(() -> {
                takers.add(new Taker(count, taken));
                checkTakers();
            });
        } catch (RejectedExecutionException ended) {
            taken.completeExceptionally(ended);
        }
        return taken;
    }

    private void checkTakers() {
        for (Taker taker = takers.peek(); taker != null; taker = takers.peek()) {
            if (closed) {
                taker.taken.completeExceptionally(new IOException("brig-launcher sends no sockets any more"));
            } else if (arrived.size() >= taker.count) {
                List<Integer> descriptors = new ArrayList<>();
                for (int i = 0; i < taker.count; i++) descriptors.add(arrived.remove());
                taker.taken.complete(descriptors);
            } else {
                return;
            }
            takers.remove();
        }
    }

    static void close(int descriptor) {
        try {
            new FileDescriptor(descriptor).close();
        } catch (IOException gone) {
            LOG.debug("Closing a socket of a wall: {}", gone.getMessage());
        }
    }

    /** Whether no more descriptors will come. */
    boolean isClosed() {
        return closed;
    }

    /** Fails all waiters. Thread-safe; call it once. */
    @Override
    public void close() {
        if (closed) return;
        closed = true;
        loop.execute(() -> {
            arrived.forEach(DescriptorSocket::close);
            arrived.clear();
            checkTakers();
        });
        var _ = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
        try {
            Files.deleteIfExists(path);
        } catch (IOException left) {
            LOG.debug("A socket file was left: {}", left.getMessage());
        }
    }

    private final class Arrivals extends SimpleChannelInboundHandler<FileDescriptor> {
        @Override
        protected void channelRead0(ChannelHandlerContext context, FileDescriptor descriptor) {
            if (closed) {
                DescriptorSocket.close(descriptor.intValue());
            } else {
                arrived.add(descriptor.intValue());
                checkTakers();
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            // A descriptor is missing, so later takers would get the wrong ones.
            LOG.warn("Receiving sockets of walls", cause);
            DescriptorSocket.this.close();
        }
    }
}
