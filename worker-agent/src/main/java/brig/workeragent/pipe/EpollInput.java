package brig.workeragent.pipe;

import io.netty.channel.IoEventLoop;
import io.netty.channel.epoll.EpollIoOps;
import io.netty.channel.unix.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/** The writing end of a pipe. */
final class EpollInput extends EpollEnd implements InputPipe {
    private static final byte[] NOTHING = {};

    private final PipeOutputStream stream = new PipeOutputStream(this);

    // Owned by the loop.
    /** Null: not started, or at the end. */
    private @Nullable Writer writer;

    private byte[] current = NOTHING;
    private int written;

    EpollInput(FileDescriptor descriptor, IoEventLoop loop) {
        super(descriptor, loop);
    }

    @Override
    public void start(Writer from) {
        boolean lives = onLoop(() -> {
            writer = from;
            goOn();
        });
        if (!lives) {
            from.handleEnd(new IOException("closed"));
        }
    }

    @Override
    public void resume() {
        onLoop(this::goOn);
    }

    private void goOn() {
        Writer from = writer;
        if (from == null || waits()) {
            return;
        }
        byte[] next = from.next();
        while (next != null && next.length == 0) {
            next = from.next();
        }
        if (next != null) {
            current = next;
            written = 0;
            waitFor(EpollIoOps.EPOLLOUT);
        } else if (from.isOver()) {
            end(null);
        }
    }

    /** A reader that is gone makes it ready, too. */
    @Override
    void handleReady() throws IOException {
        ByteBuffer buffer = buffer();
        int count = Math.min(current.length - written, BYTES_MAX);
        buffer.put(0, current, written, count);
        written += fd().write(buffer, 0, count);
        if (written == current.length) {
            waitForNothing();
            goOn();
        }
    }

    @Override
    void handleEnd(@Nullable Exception failure) {
        Writer from = writer;
        writer = null;
        current = NOTHING;
        written = 0;
        if (from != null) {
            from.handleEnd(failure);
        }
    }

    @Override
    public OutputStream stream() {
        return stream;
    }
}
