package brig.workeragent.pump;

import brig.formats.adapter.Adapter.OutputReader;
import brig.workeragent.pipe.OutputPipe;
import java.util.concurrent.CompletableFuture;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads one output pipe of an agent to its end, as far as the outbox has room: a slow subscriber pauses the agent. */
public final class OutputPump implements OutputPipe.Reader {
    private static final Logger LOG = LoggerFactory.getLogger(OutputPump.class);
    /** How long output collects while the reader is far behind; also the most it adds to a frame's latency. */
    private static final long COLLECT_MS = 20;

    private final OutputPipe pipe;
    private final OutputReader reader;
    private final Outbox outbox;
    private final LongSupplier clock;
    private final Runnable again;
    /** Owned by the pipe's thread: whether output collects, which it does once before each read. */
    private boolean collects;

    private final CompletableFuture<Void> finished = new CompletableFuture<>();

    public OutputPump(OutputPipe pipe, OutputReader reader, Outbox outbox, LongSupplier clock) {
        this.pipe = pipe;
        this.reader = reader;
        this.outbox = outbox;
        this.clock = clock;
        this.again = pipe::resume;
    }

    /** Begins to read. The future completes, never exceptionally, when all output has become frames. */
    public CompletableFuture<Void> start() {
        pipe.start(this);
        return finished;
    }

    @Override
    public long pauseMs() {
        Outbox.Readiness readiness = outbox.readiness(again);
        collects = readiness == Outbox.Readiness.SOON && !collects;
        return switch (readiness) {
            case NOW -> 0;
            case SOON -> collects ? COLLECT_MS : 0;
            case LATER -> OutputPipe.FOREVER;
        };
    }

    private interface Reading {
        void run() throws InterruptedException;
    }

    @Override
    public void handleBytes(byte[] bytes, int count) {
        passOn(() -> reader.read(bytes, 0, count, clock.getAsLong()));
    }

    @Override
    public void handleEnd(@Nullable Exception failure) {
        if (failure != null) {
            LOG.warn("a pipe ended early: {}", failure.toString());
        }
        try {
            passOn(() -> reader.finish(clock.getAsLong()));
        } finally {
            finished.complete(null);
        }
    }

    /** The frames of one read are passed on together. */
    private void passOn(Reading reading) {
        outbox.hold();
        try {
            reading.run();
        } catch (InterruptedException e) {
            // Only sinks that block are interrupted.
            throw new IllegalStateException(e);
        } finally {
            outbox.flush();
        }
    }
}
