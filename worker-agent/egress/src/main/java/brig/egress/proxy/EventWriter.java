package brig.egress.proxy;

import brig.protocol.json.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One kind of what the worker-agent is told, as JSON lines; several share its pipe. Nobody waits for it: what it does not
 * read in time is lost, and a line says how much.
 *
 * <p>Decision 0055.
 */
final class EventWriter implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(EventWriter.class);
    private static final Map<String, Object> END = Map.of();

    private final String kind;
    private final BlockingQueue<Map<String, Object>> queue;
    private final AtomicLong lost = new AtomicLong();
    private final Thread writer;

    private EventWriter(String kind, int queueMax, OutputStream out) {
        this.kind = kind;
        this.queue = new ArrayBlockingQueue<>(queueMax);
        this.writer = Thread.ofPlatform().daemon().name("brig-" + kind).unstarted(() -> run(out));
    }

    /** @param out is locked for as long as lines are written to it */
    static EventWriter start(String kind, int queueMax, OutputStream out) {
        EventWriter line = new EventWriter(kind, queueMax, out);
        line.writer.start();
        return line;
    }

    /** Any thread may call; never waits. */
    void offer(Map<String, Object> event) {
        if (!queue.offer(event)) {
            lost.incrementAndGet();
        }
    }

    private void run(OutputStream out) {
        List<Map<String, Object>> batch = new ArrayList<>();
        try {
            while (!batch.contains(END)) {
                batch.clear();
                batch.add(queue.take());
                queue.drainTo(batch);
                synchronized (out) {
                    write(batch, out);
                }
            }
        } catch (IOException e) {
            LOG.debug("the worker-agent reads no more: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(List<Map<String, Object>> batch, OutputStream out) throws IOException {
        for (Map<String, Object> event : batch) {
            if (!event.isEmpty()) {
                out.write(Json.writeLine(event));
            }
        }
        long count = lost.getAndSet(0);
        if (count > 0) {
            out.write(Json.writeLine(Map.of("type", "lost", "kind", kind, "count", count)));
        }
        out.flush();
    }

    /** Returns when everything is written, or nobody reads it. */
    @Override
    public void close() {
        try {
            while (writer.isAlive() && !queue.offer(END, 10, TimeUnit.MILLISECONDS)) {
                Thread.onSpinWait();
            }
            writer.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
