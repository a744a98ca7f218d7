package brig.workeragent.service;

import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.frame.Frame;
import brig.protocol.frame.Frame.Chunk.Channel;
import brig.protocol.frame.Frame.SubAgent.Status;
import brig.workeragent.pipe.OutputPipe;
import brig.workeragent.pump.Outbox;
import brig.workeragent.pump.OutputPump;
import brig.workeragent.wall.ProcessEnd;
import brig.workeragent.wall.Wall;
import brig.workeragent.wall.WalledProcess;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The lines that a request has run before the agent, one after the other, behind the agent's wall. What they write are
 * frames of sub-agents.
 *
 * <p>Decision 0215.
 */
final class Preparation implements PreparedWall.Before {
    private static final long LAST_LINES_MS = 2000;

    private final Wall wall;
    private final List<String> lines;
    private final long lineMsMax;
    private final Outbox outbox;
    private final LongSupplier clock;
    private @Nullable WalledProcess running;
    private boolean isAbandoned;

    /** @param lineMsMax how long each may take */
    Preparation(Wall wall, List<String> lines, long lineMsMax, Outbox outbox, LongSupplier clock) {
        this.wall = wall;
        this.lines = lines;
        this.lineMsMax = lineMsMax;
        this.outbox = outbox;
        this.clock = clock;
    }

    @Override
    public boolean isPartOfWall() {
        return false;
    }

    /** @throws BrigException {@code PREPARATION_FAILED}, with the last lines that were written */
    @Override
    public void start() throws InterruptedException {
        for (int i = 0; i < lines.size(); i++) {
            run("prepare:" + (i + 1), lines.get(i));
        }
    }

    private void run(String id, String line) throws InterruptedException {
        WalledProcess process = begun(id, line);
        tell(id, line, Status.RUNNING, null);
        LastLines last = new LastLines();
        CompletableFuture<Void> written = CompletableFuture.allOf(
                pump(id, process.stdout(), Channel.STDOUT, last), pump(id, process.stderr(), Channel.STDERR, last));
        String failure = failureOf(process);
        // What it wrote last is told. A pump may wait for a reader of the stream.
        written.completeOnTimeout(null, LAST_LINES_MS, TimeUnit.MILLISECONDS).join();
        process.stdout().close();
        process.stderr().close();
        tell(id, null, failure == null ? Status.COMPLETED : Status.FAILED, failure);
        if (failure != null) {
            throw new BrigException(ErrorCode.PREPARATION_FAILED, "'" + line + "' (prepare) " + failure + last.told());
        }
    }

    /** The line is a file, as everybody on the host can read arguments. */
    private WalledProcess begun(String id, String line) throws InterruptedException {
        if (isAbandoned()) {
            throw new BrigException(ErrorCode.PREPARATION_FAILED, "the session was ended before " + id);
        }
        WalledProcess process = wall.start(List.of("/bin/sh", Wall.MESSAGE_FILE), line, false, null);
        synchronized (this) {
            running = process;
            if (isAbandoned) {
                process.kill();
            }
        }
        return process;
    }

    /** Waits for its end. Null if it did what it was to do. */
    private @Nullable String failureOf(WalledProcess process) throws InterruptedException {
        boolean isLate = false;
        try {
            process.end().get(lineMsMax, TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            isLate = true;
            process.kill();
        } catch (ExecutionException e) {
            throw new IllegalStateException("an end fails never", e);
        }
        ProcessEnd end = process.end().join();
        if (isLate) {
            return "took longer than " + TimeUnit.MILLISECONDS.toSeconds(lineMsMax) + " s";
        }
        if (end.diskFull() != null) {
            return "filled the disk: " + end.diskFull();
        }
        return end.exitCode() == 0 ? null : isAbandoned() ? "was ended" : "ended with exit code " + end.exitCode();
    }

    private synchronized boolean isAbandoned() {
        return isAbandoned;
    }

    @Override
    public synchronized void abandon() {
        isAbandoned = true;
        if (running != null) {
            running.kill();
        }
    }

    /** Its processes end before {@link #start} returns. */
    @Override
    public void close() {
        abandon();
    }

    private CompletableFuture<Void> pump(String id, OutputPipe pipe, Channel channel, LastLines last) {
        ServiceOutput output = new ServiceOutput(piece -> {
            last.add(piece);
            append(new Frame.Chunk(id, null, channel, piece));
        });
        return new OutputPump(pipe, output, outbox, clock).start();
    }

    private void tell(String id, @Nullable String line, Status status, @Nullable String error) {
        append(new Frame.SubAgent(null, id, null, null, null, line, "prepare", 1L, status, false, null, error, 0));
    }

    private void append(Frame frame) {
        outbox.appendNumbered(frame.type(), Frames.body(clock.getAsLong(), frame));
    }
}
