package brig.workeragent.pipe;

import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The reading end of a pipe. */
final class EpollOutput extends EpollEnd implements OutputPipe {
    private static final FastThreadLocal<byte[]> BYTES = new FastThreadLocal<>() {
        @Override
        protected byte[] initialValue() {
            return new byte[BYTES_MAX];
        }
    };

    private final PipeInputStream stream = new PipeInputStream(this);

    /** Owned by the loop. Null: not started, or at the end. */
    private @Nullable Reader reader;

    EpollOutput(FileDescriptor descriptor, IoEventLoop loop) {
        super(descriptor, loop);
    }

    @Override
    public void start(Reader to) {
        boolean lives = onLoop(() -> {
            reader = to;
            listen();
        });
        if (!lives) {
            to.handleEnd(new IOException("closed"));
        }
    }

    @Override
    public void resume() {
        onLoop(this::listen);
    }

    private void listen() {
        if (reader != null) {
            waitFor(EpollIoOps.EPOLLIN);
        }
    }

    @Override
    void handleReady() throws IOException {
        Reader to = reader;
        if (to == null) {
            return;
        }
        long pauseMs = to.pauseMs();
        if (pauseMs == 0) {
            read(to);
            return;
        }
        waitForNothing();
        if (pauseMs != FOREVER) {
            var _ = loop().schedule(this::listen, pauseMs, TimeUnit.MILLISECONDS);
        }
    }

    private void read(Reader to) throws IOException {
        ByteBuffer buffer = buffer();
        int count = fd().read(buffer, 0, BYTES_MAX);
        if (count < 0) {
            end(null);
        } else if (count > 0) {
            byte[] bytes = BYTES.get();
            buffer.get(0, bytes, 0, count);
            to.handleBytes(bytes, count);
        }
    }

    @Override
    void handleEnd(@Nullable Exception failure) {
        Reader to = reader;
        reader = null;
        if (to != null) {
            to.handleEnd(failure);
        }
    }

    @Override
    public InputStream stream() {
        return stream;
    }
}
