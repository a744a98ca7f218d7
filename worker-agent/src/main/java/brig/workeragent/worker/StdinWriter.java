package brig.workeragent.worker;

import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes to the standard input of one process, on a thread of its own: an agent that does not read blocks only this
 * thread. The queue is bounded by count and bytes; the excess is refused.
 */
final class StdinWriter implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(StdinWriter.class);
    private static final int STACK_BYTES = 128 * 1024;

    private final OutputStream pipe;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition news = lock.newCondition();

    // Guarded by the lock.
    private final Queue<byte[]> waiting = new ArrayDeque<>();
    private long waitingBytes;
    private boolean closed;

    StdinWriter(OutputStream pipe) {
        this.pipe = pipe;
    }

    void start(String threadName) {
        Thread.ofPlatform().name(threadName).daemon().stackSize(STACK_BYTES).start(this);
    }

    /** Queues bytes; false if the queue is full, or standard input is closed. */
    boolean offer(byte[] bytes) {
        lock.lock();
        try {
            boolean fits = waiting.size() < Mailbox.MESSAGES_MAX && waitingBytes + bytes.length <= Mailbox.BYTES_MAX;
            if (closed || !fits) {
                return false;
            }
            waiting.add(bytes);
            waitingBytes += bytes.length;
            news.signal();
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Closes the pipe once the queue is written; false if that was already requested. */
    boolean close() {
        lock.lock();
        try {
            boolean first = !closed;
            closed = true;
            news.signal();
            return first;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void run() {
        try (pipe) {
            for (byte[] next = take(); next != null; next = take()) {
                pipe.write(next);
                pipe.flush();
            }
        } catch (IOException e) {
            LOG.debug(
                    "standard input ended thread={}: {}", Thread.currentThread().getName(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            close();
        }
    }

    private byte @Nullable [] take() throws InterruptedException {
        lock.lockInterruptibly();
        try {
            while (waiting.isEmpty() && !closed) {
                news.await();
            }
            byte[] next = waiting.poll();
            waitingBytes -= next == null ? 0 : next.length;
            return next;
        } finally {
            lock.unlock();
        }
    }
}
