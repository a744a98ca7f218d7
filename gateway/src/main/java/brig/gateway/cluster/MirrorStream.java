package brig.gateway.cluster;

import brig.gateway.stream.Inlet;
import brig.gateway.stream.StreamLog;
import brig.gateway.worker.WorkerStream;
import brig.protocol.control.Message;
import brig.protocol.control.WorkerLine;
import brig.protocol.spawn.TerminalSize;
import brig.protocol.wire.FrameDecoder;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * The stream of a worker whose host another gateway owns: frames come from the shared log, and what the worker is told goes
 * to the owner. Frames that the stream log has are passed over. It holds no worker back, only its own feed.
 *
 * <p>Owned by the event loop.
 */
final class MirrorStream implements WorkerStream, HostFeed.Taker {
    private final StreamLog log;
    private final Inlet inlet;
    private final Consumer<WorkerLine> owner;
    private CompletableFuture<Void> ready = CompletableFuture.completedFuture(null);
    private boolean closed;

    /**
     * @param frames receives the frames that the log does not read in place
     * @param owner passes a line on to the owner
     */
    MirrorStream(StreamLog log, Inlet.Shared inlets, FrameDecoder.Sink frames, Consumer<WorkerLine> owner) {
        this.log = log;
        this.inlet = new Inlet(log, inlets, frames);
        this.owner = owner;
    }

    @Override
    public void show(Run run) {
        if (ready.isDone() && run.firstSeq() <= log.lastSeq() + 1) {
            take(run);
        }
    }

    @Override
    public void take(Run run) {
        if (closed || run.lastSeq() <= log.lastSeq()) {
            return;
        }
        int at = start(run, log.lastSeq() + 1 - run.firstSeq());
        while (at < run.lines().length) {
            ByteBuf room = inlet.room();
            int length = Math.min(room.writableBytes(), run.lines().length - at);
            room.writeBytes(run.lines(), at, length);
            room.release();
            inlet.take(length);
            at += length;
        }
    }

    /** Where the line after the first {@code known} ones begins. */
    private static int start(Run run, long known) {
        int at = 0;
        for (long passed = 0; passed < known; at++) {
            if (run.lines()[at] == '\n') {
                passed++;
            }
        }
        return at;
    }

    @Override
    public CompletionStage<Void> ready() {
        return ready;
    }

    @Override
    public boolean isDirect() {
        return false;
    }

    @Override
    public void pause() {
        if (ready.isDone()) {
            ready = new CompletableFuture<>();
        }
    }

    @Override
    public void resume() {
        ready.complete(null);
    }

    /** The owner acknowledges what is durable. */
    @Override
    public void ack(long seq) {}

    @Override
    public void input(Message message) {
        owner.accept(WorkerLine.input(message));
    }

    @Override
    public void keys(String keys) {
        owner.accept(WorkerLine.keys(keys));
    }

    @Override
    public void resize(TerminalSize size) {
        owner.accept(WorkerLine.resize(size));
    }

    @Override
    public void cancel() {
        owner.accept(WorkerLine.CANCEL);
    }

    @Override
    public void close() {
        closed = true;
        ready.complete(null);
    }
}
