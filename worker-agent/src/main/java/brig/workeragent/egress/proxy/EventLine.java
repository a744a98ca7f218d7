package brig.workeragent.egress.proxy;

import brig.protocol.Json;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Map;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the worker-agent is told, as JSON lines. Nobody waits for it: what it does not read in time is dropped,
 * and a line says how much.
 */
final class EventLine {
    private static final Logger LOG = LoggerFactory.getLogger(EventLine.class);
    private static final int QUEUE_MAX = 4096;

    private final BlockingQueue<Map<String, Object>> queue = new ArrayBlockingQueue<>(QUEUE_MAX);
    private final AtomicLong dropped = new AtomicLong();

    private EventLine() {}

    static EventLine start(OutputStream out) {
        EventLine line = new EventLine();
        Thread.ofPlatform().daemon().name("brig-events").start(() -> line.run(out));
        return line;
    }

    void offer(Map<String, Object> event) {
        if (!queue.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    private void run(OutputStream out) {
        try {
            while (true) {
                out.write(Json.writeLine(queue.take()));
                long count = dropped.getAndSet(0);
                if (count > 0) {
                    out.write(Json.writeLine(Map.of("type", "dropped", "count", count)));
                }
                out.flush();
            }
        } catch (IOException e) {
            LOG.debug("the worker-agent reads no more: {}", e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
