package brig.gateway.stream;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * The end of the loop's turn. While the loop reads all its ready sockets, logs that got frames enlist here; then, once,
 * each drains into its readers and every connection that was written to is flushed. So a captain of a hundred workers
 * gets one write for all of them, and a burst of a hundred frames is one batch.
 *
 * <p>{@code loop} must run a task after the sockets that are ready now, as Netty's event loop does. Owned by it.
 */
public final class LoopFlush {
    private final Executor loop;
    private final ArrayDeque<StreamLog> dirty = new ArrayDeque<>();
    private final ArrayDeque<FrameSink> written = new ArrayDeque<>();
    private boolean scheduled;

    public LoopFlush(Executor loop) {
        this.loop = loop;
    }

    /** The log has news for its readers. It calls this once until it was drained. */
    void enlist(StreamLog log) {
        dirty.add(log);
        schedule();
    }

    /** The sink was written to, and waits for its flush. */
    void wrote(FrameSink sink) {
        if (written.peekLast() != sink) {
            written.add(sink);
        }
        schedule();
    }

    /** Runs something after what the loop has to do now. */
    void defer(Runnable task) {
        loop.execute(task);
    }

    private void schedule() {
        if (!scheduled) {
            scheduled = true;
            loop.execute(this::finish);
        }
    }

    private void finish() {
        try {
            do {
                for (StreamLog log = dirty.poll(); log != null; log = dirty.poll()) {
                    log.drain();
                }
                // A flush may make a connection writable again, whose reader then writes, and waits for a flush in
                // turn: a sink leaves the list before its flush, so that it can come back.
                for (FrameSink sink = written.poll(); sink != null; sink = written.poll()) {
                    sink.flush();
                }
            } while (!dirty.isEmpty());
        } finally {
            scheduled = false;
            if (!dirty.isEmpty() || !written.isEmpty()) {
                schedule();
            }
        }
    }
}
