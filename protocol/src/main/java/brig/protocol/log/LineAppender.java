package brig.protocol.log;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.core.UnsynchronizedAppenderBase;
import ch.qos.logback.core.encoder.Encoder;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Writes log lines to standard error. A service does so on a thread of its own, so that a stopped terminal or a pipe
 * that nobody reads holds up no event loop. While {@link #EVENTS_MAX} events wait, new ones are dropped; a line tells
 * how many.
 *
 * <p>Decision 0180.
 */
public final class LineAppender extends UnsynchronizedAppenderBase<ILoggingEvent> {
    static final int EVENTS_MAX = 4096;
    private static final String NAME = LineAppender.class.getName();
    private static final long FLUSH_NANOS_MAX = 1_000_000_000;
    private static final long FLUSH_CHECK_NANOS = 1_000_000;

    private final OutputStream out;
    private final Encoder<ILoggingEvent> encoder;
    private final BlockingQueue<ILoggingEvent> waiting = new ArrayBlockingQueue<>(EVENTS_MAX);
    private final AtomicLong dropped = new AtomicLong();
    private final AtomicLong unwritten = new AtomicLong();
    private boolean queued;
    private final Thread writer = Thread.ofPlatform().daemon().name("brig-log").unstarted(this::write);

    /** Called by logback, see config/logback.xml. */
    public LineAppender() {
        this(new FileOutputStream(FileDescriptor.err), new LineEncoder());
    }

    LineAppender(OutputStream out, Encoder<ILoggingEvent> encoder) {
        this.out = out;
        this.encoder = encoder;
    }

    /** Whether lines are written on a thread of their own; set before the start. */
    public void setQueued(boolean queued) {
        this.queued = queued;
    }

    @Override
    public void start() {
        if (queued) {
            writer.start();
            LogOutput.onFlush(this::flush);
        } else {
            LogOutput.onFlush(this::writeHeld);
        }
        super.start();
    }

    @Override
    protected void append(ILoggingEvent event) {
        if (!queued) {
            writeOrHold(event);
            return;
        }
        event.prepareForDeferredProcessing();
        unwritten.incrementAndGet();
        if (!waiting.offer(event)) {
            unwritten.decrementAndGet();
            dropped.incrementAndGet();
        }
    }

    private void writeOrHold(ILoggingEvent event) {
        if (!LogOutput.isHeld()) {
            write(event);
            return;
        }
        event.prepareForDeferredProcessing();
        if (!waiting.offer(event)) {
            dropped.incrementAndGet();
        }
    }

    private void writeHeld() {
        for (ILoggingEvent event = waiting.poll(); event != null; event = waiting.poll()) {
            write(event);
        }
        tellLoss();
    }

    private void tellLoss() {
        long count = dropped.getAndSet(0);
        if (count > 0) {
            write(loss(count));
        }
    }

    private void write() {
        try {
            while (true) {
                write(waiting.take());
                unwritten.decrementAndGet();
                tellLoss();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void write(ILoggingEvent event) {
        try {
            out.write(encoder.encode(event));
        } catch (IOException gone) {
            addError("standard error takes no lines", gone);
        } catch (RuntimeException e) {
            addError("a line cannot be encoded", e);
        }
    }

    private LoggingEvent loss(long count) {
        return new LoggingEvent(
                NAME,
                ((LoggerContext) getContext()).getLogger(NAME),
                Level.WARN,
                "{} lines of the log are missing around here: they were not read in time",
                null,
                new Object[] {count});
    }

    /** Waits until what was logged is written, at most a second. */
    void flush() {
        long end = System.nanoTime() + FLUSH_NANOS_MAX;
        while (unwritten.get() > 0 && System.nanoTime() < end) {
            LockSupport.parkNanos(FLUSH_CHECK_NANOS);
        }
    }

    @Override
    public void stop() {
        super.stop();
        flush();
        writer.interrupt();
    }
}
