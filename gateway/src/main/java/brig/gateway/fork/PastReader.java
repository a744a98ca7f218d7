package brig.gateway.fork;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.Subscription;
import brig.protocol.ErrorCode;
import brig.protocol.control.Fork;
import brig.protocol.frame.ForkedFrom;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.Json;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/** Reads what happened in a session up to a frame, and whether it went on, with a subscription. Owned by the event loop. */
public final class PastReader implements FrameSink {
    private final long lastSeq;
    /** The last frame that counts. */
    private final long cut;

    private final Past past = new Past();
    private final CompletableFuture<Past> read = new CompletableFuture<>();
    private @Nullable Subscription reader;

    private PastReader(long lastSeq, long cut) {
        this.lastSeq = lastSeq;
        this.cut = cut;
    }

    /**
     * What a fork begins with.
     *
     * @param taskId the other session's name for people
     * @param from its last frame that counts
     */
    public static CompletionStage<Fork> fork(StreamLog log, String taskId, ForkedFrom from) {
        PastReader reading = new PastReader(log.lastSeq(), from.seq());
        if (reading.lastSeq == 0) {
            reading.read.complete(reading.past);
        } else {
            Subscription reader = log.readThrough(reading);
            reading.reader = reader;
            reader.drain();
        }
        return reading.read.thenApply(past -> new Fork(from, past.session(), past.summary(taskId, from.seq())));
    }

    @Override
    public boolean isWritable() {
        return !read.isDone();
    }

    @Override
    public void write(FrameBatch batch) {
        ByteBuf lines = batch.lines();
        byte[] bytes = ByteBufUtil.getBytes(lines);
        lines.release();
        handleLines(bytes);
        checkDone(batch.lastSeq());
    }

    private void handleLines(byte[] bytes) {
        int start = 0;
        for (int i = 0; i < bytes.length; i++) {
            if (bytes[i] == '\n') {
                NumberedFrame numbered = Json.read(bytes, start, i - start, NumberedFrame.class);
                if (numbered.seq() > lastSeq) {
                    return;
                }
                if (numbered.seq() <= cut) {
                    past.handle(numbered.frame());
                } else {
                    past.handleLater(numbered.frame());
                }
                start = i + 1;
            }
        }
    }

    @Override
    public void gap(long from, long to, GapReason reason) {
        if (from <= cut) {
            past.handleGap();
        }
        if (to > cut) {
            past.handleLaterGap();
        }
        checkDone(to);
    }

    private void checkDone(long seq) {
        if (seq >= lastSeq && reader != null) {
            reader.close();
            read.complete(past);
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
