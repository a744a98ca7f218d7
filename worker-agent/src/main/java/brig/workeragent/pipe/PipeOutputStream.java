package brig.workeragent.pipe;

import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** A pipe for a thread that may block: a write returns when the pipe has taken its bytes. Its first write starts it. */
final class PipeOutputStream extends OutputStream implements InputPipe.Writer {
    private final InputPipe pipe;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private boolean started;
    private byte @Nullable [] waiting;
    private boolean taken = true;
    private boolean ended;

    PipeOutputStream(InputPipe pipe) {
        this.pipe = pipe;
    }

    @Override
    public byte @Nullable [] next() {
        lock.lock();
        try {
            byte[] next = waiting;
            waiting = null;
            if (next == null) {
                taken = true;
                news.signal();
            }
            return next;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isOver() {
        return false;
    }

    @Override
    public void handleEnd(@Nullable Exception failure) {
        lock.lock();
        try {
            ended = true;
            news.signal();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        if (length == 0) {
            return;
        }
        lock.lock();
        try {
            waiting = Arrays.copyOfRange(bytes, offset, offset + length);
            taken = false;
            if (started) {
                pipe.resume();
            } else {
                started = true;
                pipe.start(this);
            }
            while (!taken && !ended) {
                news.awaitUninterruptibly();
            }
            if (!taken) {
                throw new IOException("nobody reads the pipe any longer");
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void close() {
        pipe.close();
    }
}
