package brig.workeragent.pipe;

import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A pipe for a thread that may block; its first read starts it. */
final class PipeInputStream extends InputStream implements OutputPipe.Reader {
    private static final byte[] NOTHING = {};

    private final OutputPipe pipe;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private boolean started;
    private byte[] arrived = NOTHING;
    private int taken;
    private boolean ended;
    private @Nullable Exception failure;

    PipeInputStream(OutputPipe pipe) {
        this.pipe = pipe;
    }

    @Override
    public long pauseMs() {
        lock.lock();
        try {
            return taken == arrived.length ? 0 : OutputPipe.FOREVER;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void handleBytes(byte[] bytes, int count) {
        lock.lock();
        try {
            arrived = Arrays.copyOf(bytes, count);
            taken = 0;
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void handleEnd(@Nullable Exception why) {
        lock.lock();
        try {
            ended = true;
            failure = why;
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : Byte.toUnsignedInt(one[0]);
    }

    @Override
    public int read(byte[] to, int offset, int length) throws IOException {
        lock.lock();
        try {
            if (!started) {
                started = true;
                pipe.start(this);
            }
            while (taken == arrived.length && !ended) {
                news.awaitUninterruptibly();
            }
            int count = Math.min(length, arrived.length - taken);
            System.arraycopy(arrived, taken, to, offset, count);
            taken += count;
            if (taken == arrived.length && !ended) {
                pipe.resume();
            }
            if (count == 0 && length > 0 && failure != null) {
                throw new IOException("the pipe ended early", failure);
            }
            return count == 0 && length > 0 ? -1 : count;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        pipe.close();
    }
}
