package brig.gateway.stream;

import brig.gateway.time.Clock;
import brig.protocol.ErrorCode;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriber that writes the record. It acknowledges stored frames to the worker-agent, which may then forget them.
 * It is tethered: nothing leaves memory before it is on disk.
 *
 * <p>It writes when {@link StreamLog#recordingBytes} wait, at the end, and otherwise when {@link RecordingClock} says:
 * a stream of small frames costs about one write a second, not one per frame. Until then the worker-agent keeps what
 * this process might lose. Frames of one event loop iteration are written together and acknowledged at once.
 *
 * <p>When the disk fails, streaming continues: frames are acknowledged without being stored, subscribers are told once,
 * and after a pause the next frames are tried again. Owned by the event loop.
 *
 * <p>Decision 0006.
 */
public final class StreamRecorder implements FrameSink {
    private static final int UNWRITTEN_BYTES_MAX = 1024 * 1024;
    private static final long RETRY_MS = 5_000;

    private final StreamLog log;
    private final Clock clock;
    private final LongConsumer acknowledge;
    private final Runnable finished;
    private @Nullable Subscription reader;
    /** Frames of this iteration, to be written together. */
    private final List<ByteBuf> pieces = new ArrayList<>();

    private long firstOfPieces;
    private long lastOfPieces;
    /** Bytes of the pieces and of pending writes. */
    private long unwrittenBytes;

    private long retryAtMs;
    /** The last frame given up but not acknowledged, 0 for none. */
    private long givenUpSeq;

    private boolean lost;
    /** All waiting frames are to be written. */
    private boolean due;

    private boolean waitsForTick;
    private boolean ending;

    /**
     * @param acknowledge called with the number up to which every frame is stored, or given up
     * @param finished called when the stream ended and all of it is stored, or given up
     */
    public StreamRecorder(StreamLog log, Clock clock, LongConsumer acknowledge, Runnable finished) {
        this.log = log;
        this.clock = clock;
        this.acknowledge = acknowledge;
        this.finished = finished;
    }

    public void start() {
        reader = log.record(log.lastSeq() + 1, this);
    }

    /** Decides whether to write waiting frames now or with the clock. */
    @Override
    public void handleFramesWaiting() {
        due |= log.isEnded() || reader == null || reader.pendingBytes() >= log.recordingBytes();
        if (!due && !waitsForTick) {
            waitsForTick = true;
            log.ticks().await(this::handleTick);
        }
    }

    @Override
    public boolean isWritable() {
        return due && unwrittenBytes < UNWRITTEN_BYTES_MAX;
    }

    private void handleTick() {
        waitsForTick = false;
        writeAll();
    }

    /** Writes all that waits, without waiting for the clock. */
    public void writeAll() {
        due = true;
        drain();
    }

    /** Outside of the end of an iteration, writes at once: the log no longer holds what was taken. */
    private void drain() {
        if (reader != null) {
            reader.drain();
            flush();
        }
    }

    @Override
    public void write(FrameBatch batch) {
        long last = batch.lastSeq();
        if (lost && clock.nowMs() < retryAtMs) {
            givenUpSeq = last;
            acknowledgeGivenUp();
            return;
        }
        if (!pieces.isEmpty() && batch.firstSeq() != lastOfPieces + 1) {
            writePieces();
        }
        if (pieces.isEmpty()) {
            firstOfPieces = batch.firstSeq();
        }
        pieces.add(batch.lines());
        lastOfPieces = last;
        unwrittenBytes += batch.bytes();
    }

    private void writePieces() {
        ByteBuf lines = Unpooled.wrappedBuffer(pieces.toArray(ByteBuf[]::new));
        int bytes = lines.readableBytes();
        long last = lastOfPieces;
        pieces.clear();
        long begunNanos = log.counters().nanoTime();
        log.archive().append(firstOfPieces, last, lines).whenComplete((stored, failure) -> {
            unwrittenBytes -= bytes;
            log.counters().handleRecorded(log.counters().secondsSince(begunNanos));
            handleStored(last, failure);
        });
    }

    private void handleStored(long last, @Nullable Throwable failure) {
        if (failure == null) {
            // A write that was pending when another failed does not prove that the disk works; only a retry does.
            lost &= clock.nowMs() < retryAtMs;
        } else {
            retryAtMs = clock.nowMs() + RETRY_MS;
            if (!lost) {
                lost = true;
                log.notice(
                        ErrorCode.RECORD_LOST,
                        "frames from " + last + " on are not recorded: " + failure.getMessage()
                                + "; they stream on, but cannot be replayed later");
            }
        }
        acknowledge.accept(last);
        acknowledgeGivenUp();
        checkFinished();
        drain();
    }

    /** An acknowledgement covers all earlier frames, so it waits for pending writes. */
    private void acknowledgeGivenUp() {
        if (givenUpSeq > 0 && unwrittenBytes == 0) {
            acknowledge.accept(givenUpSeq);
            givenUpSeq = 0;
        }
    }

    private void checkFinished() {
        if (ending && unwrittenBytes == 0) {
            ending = false;
            log.archive().close();
            finished.run();
        }
    }

    @Override
    public void end() {
        ending = true;
        checkFinished();
    }

    /** Frames that never came from the worker: nothing to store. */
    @Override
    public void gap(long from, long to, GapReason reason) {}

    /** Mostly its own notices. */
    @Override
    public void notice(ErrorCode code, String message) {}

    /** Nothing to store. */
    @Override
    public void throttled(boolean throttled) {}

    @Override
    public void flush() {
        if (!pieces.isEmpty()) {
            writePieces();
        }
        due = reader != null && reader.pendingBytes() > 0;
    }
}
