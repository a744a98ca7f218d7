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
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One end of a pipe on an event loop, which is level-triggered: one read or write in each turn, so that no pipe waits
 * for others to end. While it waits for nothing it is not in the loop's set, as the kernel reports a hang-up to whoever
 * is, wanted or not.
 */
abstract class EpollEnd implements EpollIoHandle {
    private static final Logger LOG = LoggerFactory.getLogger(EpollEnd.class);
    /** The capacity of a pipe, and so the most that is moved at once. */
    static final int BYTES_MAX = 64 * 1024;

    private static final FastThreadLocal<ByteBuffer> BUFFERS = new FastThreadLocal<>() {
        @Override
        protected ByteBuffer initialValue() {
            return ByteBuffer.allocateDirect(BYTES_MAX);
        }
    };

    private final FileDescriptor descriptor;
    private final IoEventLoop loop;
    private final CompletableFuture<Void> ended = new CompletableFuture<>();

    /** Owned by the loop. Null: it waits for nothing. */
    private @Nullable IoRegistration registration;

    EpollEnd(FileDescriptor descriptor, IoEventLoop loop) {
        this.descriptor = descriptor;
        this.loop = loop;
    }

    /** It is ready for what it waits for. On the loop. */
    abstract void handleReady() throws IOException;

    /** Nothing is moved any longer, and the descriptor is closed. On the loop; may be called again. */
    abstract void handleEnd(@Nullable Exception failure);

    /** Completes when nothing is moved any longer. */
    final CompletableFuture<Void> ended() {
        return ended;
    }

    @Override
    public final FileDescriptor fd() {
        return descriptor;
    }

    final IoEventLoop loop() {
        return loop;
    }

    /** For the bytes of one turn of the loop. */
    static ByteBuffer buffer() {
        return BUFFERS.get().clear();
    }

    final boolean waits() {
        return registration != null;
    }

    final void waitFor(EpollIoOps ops) {
        if (registration != null) {
            return;
        }
        if (!descriptor.isOpen() || loop.isShuttingDown()) {
            end(new IOException("closed"));
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
            fresh.submit(ops);
        } catch (UncheckedIOException e) {
            end(e);
        }
    }

    final void waitForNothing() {
        if (registration != null) {
            registration.cancel();
            registration = null;
        }
    }

    @Override
    public final void handle(IoRegistration from, IoEvent event) {
        if (registration == null) {
            return;
        }
        try {
            handleReady();
        } catch (IOException e) {
            end(e);
        } catch (RuntimeException | Error e) {
            // The loop serves other pipes: a fault with this one's bytes may not reach it.
            LOG.error("moving the bytes of a pipe failed", e);
            end(new IOException(e));
        }
    }

    /** Runs a task on the loop. @return false if the loop has ended, and with it all pipes */
    final boolean onLoop(Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    /** Called by the loop, too, when that ends. */
    @Override
    public final void close() {
        if (loop.inEventLoop()) {
            end(new IOException("closed"));
        } else {
            onLoop(() -> end(new IOException("closed")));
        }
    }

    final void end(@Nullable Exception failure) {
        waitForNothing();
        try {
            descriptor.close();
        } catch (IOException e) {
            LOG.debug("closing a pipe failed: {}", e.toString());
        }
        try {
            handleEnd(failure);
        } finally {
            ended.complete(null);
        }
    }
}
