package brig.egress.process;

import brig.egress.message.EgressReport;
import brig.egress.message.EgressReport.Kind;
import brig.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes one kind of reports to the worker-agent as JSON lines; several writers share the pipe. Nobody blocks on it:
 * reports that are not read in time are lost, and a line reports their number.
 *
 * <p>Decision 0055.
 */
final class EventWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventWriter.class);
    /** Ends the writer; no offered report has that count. */
    private static final EgressReport END = new EgressReport.Lost(Kind.EVENTS, -1);

    private final Kind kind;
    private final int queueMax;
    private final BlockingQueue<EgressReport> queue = new LinkedBlockingQueue<>();
    private final AtomicLong lost = new AtomicLong();
    private final Thread writer;

    private EventWriter(Kind kind, int queueMax, OutputStream out) {
        this.kind = kind;
        this.queueMax = queueMax;
        this.writer = Thread.ofPlatform()
                .daemon()
                .name("brig-" + kind.name().toLowerCase(Locale.ROOT))
                .unstarted(() -> run(out));
    }

    /**
     * @param queueMax reports that wait; reached: a further one that may be lost is lost
     * @param out locked while lines are written
     */
    static EventWriter start(Kind kind, int queueMax, OutputStream out) {
        EventWriter line = new EventWriter(kind, queueMax, out);
        line.writer.start();
        return line;
    }

    /** Queues a report that may be lost. Thread-safe; never blocks. */
    void offer(EgressReport event) {
        if (queue.size() < queueMax) {
            queue.add(event);
        } else {
            lost.incrementAndGet();
        }
    }

    /** Queues a report that is never lost, of a kind that no agent can cause in masses. Thread-safe; never blocks. */
    void add(EgressReport report) {
        queue.add(report);
    }

    private void run(OutputStream out) {
        List<EgressReport> batch = new ArrayList<>();
        try {
            boolean ended = false;
            while (!ended) {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch);
                ended = batch.removeIf(END::equals);
                synchronized (out) {
                    write(batch, out);
                }
            }
        } catch (IOException e) {
            LOG.debug("the worker-agent no longer reads: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<EgressReport> batch, OutputStream out) throws IOException {
        for (EgressReport event : batch) {
            out.write(Json.writeLine((Record) event));
        }
        long count = lost.getAndSet(0);
        if (count > 0) {
            out.write(Json.writeLine(new EgressReport.Lost(kind, count)));
        }
        out.flush();
    }

    /** Returns when everything is written, or nobody reads any more. */
    @Override
    public void close() {
        try {
            queue.add(END);
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
