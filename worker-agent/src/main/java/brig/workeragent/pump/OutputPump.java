package brig.workeragent.pump;

import brig.formats.adapter.Adapter.OutputReader;
import java.io.IOException;
import java.io.InputStream;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads one output pipe of an agent to its end, on a thread of its own. Reads block, and so does a full outbox, which
 * is how a slow subscriber pauses the agent.
 */
public final class OutputPump implements Runnable {
    private static final Logger LOG = LoggerFactory.getLogger(OutputPump.class);
    /** The capacity of a pipe, and so the most that a read returns. */
    private static final int READ_BYTES_MAX = 64 * 1024;

    private static final int STACK_BYTES = 128 * 1024;
    /** How long output collects while the reader is far behind; also the most it adds to a frame's latency. */
    private static final long COLLECT_MS = 20;

    private final InputStream pipe;
    private final OutputReader reader;
    private final Outbox outbox;
    private final LongSupplier clock;
    private final CompletableFuture<Void> finished = new CompletableFuture<>();

    public OutputPump(InputStream pipe, OutputReader reader, Outbox outbox, LongSupplier clock) {
        this.pipe = pipe;
        this.reader = reader;
        this.outbox = outbox;
        this.clock = clock;
    }

    /** Starts the thread. The future completes, never exceptionally, when all output has become frames. */
    public CompletableFuture<Void> start(String threadName) {
        Thread.ofPlatform().name(threadName).daemon().stackSize(STACK_BYTES).start(this);
        return finished;
    }

    @Override
    public void run() {
        byte[] bytes = new byte[READ_BYTES_MAX];
        try (pipe) {
            for (int count = read(bytes); count >= 0; count = read(bytes)) {
                reader.read(bytes, 0, count, clock.getAsLong());
            }
        } catch (IOException e) {
            LOG.warn("a pipe ended early thread={}: {}", Thread.currentThread().getName(), e.toString());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            finish();
        }
    }

    private int read(byte[] bytes) throws IOException, InterruptedException {
        outbox.awaitReader(COLLECT_MS);
        return pipe.read(bytes);
    }

    private void finish() {
        try {
            reader.finish(clock.getAsLong());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            finished.complete(null);
        }
    }
}
