package brig.workeragent.pipe;

import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.epoll.EpollIoHandle;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.FastThreadLocal;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A pipe of an event loop, which is level-triggered: one read in each turn, so that no pipe waits for others to end.
 * While paused it is not in the loop's set, as the kernel reports a hang-up to whoever is, wanted or not.
 */
final class EpollPipe implements OutputPipe, EpollIoHandle {
    private static final Logger LOG = LoggerFactory.getLogger(EpollPipe.class);
    /** The capacity of a pipe, and so the most that a read returns. */
    private static final int READ_BYTES_MAX = 64 * 1024;

    private static final String CLOSED = "closed";

    /** One for each loop. */
    private static final class Buffers {
        final ByteBuffer direct = ByteBuffer.allocateDirect(READ_BYTES_MAX);
        final byte[] bytes = new byte[READ_BYTES_MAX];
    }

    private static final FastThreadLocal<Buffers> BUFFERS = new FastThreadLocal<>() {
        @Override
        protected Buffers initialValue() {
            return new Buffers();
        }
    };

    private final FileDescriptor descriptor;
    private final IoEventLoop loop;
    private final PipeStream stream = new PipeStream(this);
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    // Owned by the loop.
    private @Nullable Reader reader;
    /** Null: paused, not started, or at the end. */
    private @Nullable IoRegistration registration;

    EpollPipe(FileDescriptor descriptor, IoEventLoop loop) {
        this.descriptor = descriptor;
        this.loop = loop;
    }

    @Override
    public FileDescriptor fd() {
        return descriptor;
    }

    @Override
    public void start(Reader to) {
        try {
            loop.execute(() -> {
                reader = to;
                listen();
            });
        } catch (RejectedExecutionException e) {
            to.handleEnd(new IOException(CLOSED));
        }
    }

    /** Completes when nothing is read any longer. */
    CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public void resume() {
        onLoop(this::listen);
    }

    private void onLoop(Runnable task) {
        try {
            loop.execute(task);
        } catch (RejectedExecutionException e) {
            LOG.debug("a pipe whose loop has ended: {}", e.toString());
        }
    }

    private void listen() {
        if (reader == null || registration != null) {
            return;
        }
        if (!descriptor.isOpen() || loop.isShuttingDown()) {
            end(new IOException(CLOSED));
            return;
        }
        Future<IoRegistration> registered = loop.register(this);
        if (!registered.isSuccess()) {
            end(new IOException("epoll refused it", registered.cause()));
            return;
        }
        IoRegistration fresh = registered.getNow();
        registration = fresh;
        try {
            fresh.submit(EpollIoOps.EPOLLIN);
        } catch (UncheckedIOException e) {
            end(e);
        }
    }

    @Override
    public void handle(IoRegistration from, IoEvent event) {
        Reader to = reader;
        if (to == null || registration == null) {
            return;
        }
        try {
            long pauseMs = to.pauseMs();
            if (pauseMs == 0) {
                read(to);
            } else {
                pause(pauseMs);
            }
        } catch (IOException e) {
            end(e);
        } catch (RuntimeException e) {
            LOG.error("reading a pipe failed", e);
            end(e);
        }
    }

    private void read(Reader to) throws IOException {
        Buffers buffers = BUFFERS.get();
        int count = descriptor.read(buffers.direct, 0, READ_BYTES_MAX);
        if (count < 0) {
            end(null);
        } else if (count > 0) {
            buffers.direct.get(0, buffers.bytes, 0, count);
            to.handleBytes(buffers.bytes, count);
        }
    }

    private void pause(long ms) {
        leave();
        if (ms != FOREVER) {
            var _ = loop.schedule(this::listen, ms, TimeUnit.MILLISECONDS);
        }
    }

    private void leave() {
        if (registration != null) {
            registration.cancel();
            registration = null;
        }
    }

    @Override
    public InputStream stream() {
        return stream;
    }

    /** Called by the loop, too, when that ends. */
    @Override
    public void close() {
        if (loop.inEventLoop()) {
            end(new IOException(CLOSED));
        } else {
            onLoop(() -> end(new IOException(CLOSED)));
        }
    }

    private void end(@Nullable Exception failure) {
        leave();
        try {
            descriptor.close();
        } catch (IOException e) {
            LOG.debug("closing a pipe failed: {}", e.toString());
        }
        Reader to = reader;
        reader = null;
        if (to != null) {
            to.handleEnd(failure);
        }
        ended.complete(null);
    }
}
