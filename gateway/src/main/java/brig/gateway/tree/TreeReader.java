package brig.gateway.tree;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.Subscription;
import brig.protocol.ErrorCode;
import brig.protocol.wire.FrameDecoder;
import brig.protocol.wire.FrameType;
import io.netty.buffer.ByteBuf;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Builds a tree from the current stream, with a subscription that ends when it has caught up. Owned by the event loop.
 *
 * <p>Decision 0066.
 */
final class TreeReader implements FrameSink {
    private final StreamLog log;
    private final AgentTree tree = new AgentTree();
    private final CompletableFuture<AgentTree> read = new CompletableFuture<>();
    private final FrameDecoder frames = new FrameDecoder(new FrameDecoder.Sink() {
        @Override
        public void handleFrame(FrameType type, long seq, byte[] bytes, int offset, int length) {
            tree.handle(type, seq, bytes, offset, length);
        }

        @Override
        public void handleBadFrame(ErrorCode code) {
            // Such a frame was refused on arrival, so it is not in the log.
        }
    });
    private @Nullable Subscription reader;

    private TreeReader(StreamLog log) {
        this.log = log;
    }

    /** Completes with the tree in the loop iteration in which it has all available frames. */
    static CompletionStage<AgentTree> read(StreamLog log) {
        TreeReader reading = new TreeReader(log);
        if (log.lastSeq() == 0) {
            reading.read.complete(reading.tree);
        } else {
            Subscription reader = log.readThrough(reading);
            reading.reader = reader;
            reader.drain();
        }
        return reading.read;
    }

    @Override
    public boolean isWritable() {
        return true;
    }

    @Override
    public void write(FrameBatch batch) {
        ByteBuf lines = batch.lines();
        byte[] bytes = new byte[lines.readableBytes()];
        lines.readBytes(bytes);
        lines.release();
        frames.decode(bytes, 0, bytes.length);
        checkDone(batch.lastSeq());
    }

    @Override
    public void gap(long from, long to, GapReason reason) {
        tree.handleGap(to);
        checkDone(to);
    }

    private void checkDone(long seq) {
        if (seq >= log.lastSeq() && reader != null) {
            reader.close();
            read.complete(tree);
        }
    }

    /** The record may be lost from here on; the frames so far are available. */
    @Override
    public void notice(ErrorCode code, String message) {}

    @Override
    public void throttled(boolean throttled) {}

    @Override
    public void flush() {}

    @Override
    public void end() {}
}
