package brig.workeragent.worker;

import brig.workeragent.pipe.InputPipe;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the standard input of one process, as it reads. The queue is bounded by count and bytes; the excess is
 * refused.
 */
final class StdinWriter implements InputPipe.Writer {
    private static final Logger LOG = LoggerFactory.getLogger(StdinWriter.class);

    /** What may wait. */
    record Bounds(int piecesMax, long bytesMax) {
        static final Bounds MESSAGES = new Bounds(Mailbox.MESSAGES_MAX, Mailbox.BYTES_MAX);
        /** Of a terminal: keys come one by one. */
        static final Bounds KEYS = new Bounds(8 * 1024, 256 * 1024);
    }

    private final InputPipe pipe;
    private final Bounds bounds;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Queue<byte[]> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean closed;

    StdinWriter(InputPipe pipe, Bounds bounds) {
        this.pipe = pipe;
        this.bounds = bounds;
    }

    void start() {
        pipe.start(this);
    }

    /** Queues bytes; false if the queue is full, or standard input is closed. */
    boolean offer(byte[] bytes) {
        lock.lock();
        try {
            boolean fits = waiting.size() < bounds.piecesMax() && waitingBytes + bytes.length <= bounds.bytesMax();
            if (closed || !fits) {
                return false;
            }
            waiting.add(bytes);
            waitingBytes += bytes.length;
        } finally {
            lock.unlock();
        }
        pipe.resume();
        return true;
    }

    /** Closes the pipe once the queue is written; false if that was already requested. */
    boolean close() {
        boolean first = becomeClosed();
        pipe.resume();
        return first;
    }

    private boolean becomeClosed() {
        lock.lock();
        try {
            boolean first = !closed;
            closed = true;
            return first;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public byte @Nullable [] next() {
        lock.lock();
        try {
            byte[] next = waiting.poll();
            waitingBytes -= next == null ? 0 : next.length;
            return next;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public boolean isOver() {
        lock.lock();
        try {
            return closed && waiting.isEmpty();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void handleEnd(@Nullable Exception failure) {
        if (failure != null) {
            LOG.debug("standard input ended: {}", failure.toString());
        }
        becomeClosed();
    }
}
