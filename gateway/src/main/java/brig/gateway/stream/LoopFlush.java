package brig.gateway.stream;

import java.util.ArrayDeque;
import java.util.concurrent.Executor;

/**
 * Batches writes at the end of an event loop iteration. While the loop reads all ready sockets, logs with new frames
 * enlist here. Then each log drains once into its subscribers, and every connection written to is flushed. So a captain
 * of a hundred workers gets one write for all of them, and a burst of a hundred frames is one batch. Logs with many new
 * bytes come after the others' flush.
 *
 * <p>{@code loop} must run a task after the sockets that are ready now, as Netty's event loop does. Owned by it.
 *
 * <p>Decisions 0177, 0196.
 */
public final class LoopFlush {
    /** With more new bytes than that a log waits for the others. */
    private static final int FEW_BYTES = 4 * 1024;

    private final Executor loop;
    private final ArrayDeque<StreamLog> dirty = new ArrayDeque<>();
    private final ArrayDeque<StreamLog> busy = new ArrayDeque<>();
    private final ArrayDeque<FrameSink> written = new ArrayDeque<>();
    private boolean scheduled;

    public LoopFlush(Executor loop) {
        this.loop = loop;
    }

    /** The log has new frames. Called once per drain. */
    void enlist(StreamLog log) {
        dirty.add(log);
        schedule();
    }

    /** The sink was written to and needs a flush. */
    void wrote(FrameSink sink) {
        if (written.peekLast() != sink) {
            written.add(sink);
        }
        schedule();
    }

    /** Runs a task after the loop's current work. */
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
                    if (log.undrainedBytes() > FEW_BYTES) {
                        busy.add(log);
                    } else {
                        log.drain();
                    }
                }
                flush();
                for (StreamLog log = busy.poll(); log != null; log = busy.poll()) {
                    log.drain();
                }
                flush();
            } while (!dirty.isEmpty());
        } finally {
            scheduled = false;
            if (!dirty.isEmpty() || !busy.isEmpty() || !written.isEmpty()) {
                schedule();
            }
        }
    }

    private void flush() {
        // A flush may make a connection writable, whose subscription then writes and needs another flush. So a sink is
        // removed before its flush.
        for (FrameSink sink = written.poll(); sink != null; sink = written.poll()) {
            sink.flush();
        }
    }
}
