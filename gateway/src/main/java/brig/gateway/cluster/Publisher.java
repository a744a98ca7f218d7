package brig.gateway.cluster;

import brig.gateway.stream.FrameBatch;
import brig.gateway.stream.FrameSink;
import brig.gateway.stream.GapReason;
import brig.gateway.stream.StreamLog;
import brig.gateway.stream.Subscription;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import brig.protocol.ErrorCode;
import brig.protocol.Reason;
import io.netty.buffer.ByteBuf;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The subscriber that writes a spawn's frames to the shared log, and acknowledges to the worker-agent what is durable
 * there. It is tethered, as the recorder is.
 *
 * <p>One run at a time is on its way, so each names the position of the one before it, and a gateway that lost its host
 * can write nothing. What comes meanwhile is the next run. A run whose fate is unknown is repeated as it was.
 *
 * <p>Where few frames wait they are shown to the other gateways at once: their readers see them as early as those of this
 * one, which do not wait until they are durable either. So nobody is late when they become durable together with what
 * comes in the next {@value #SHOWN_PAUSE_MS} ms, and what a run costs is for each run. More frames than that wait for as
 * long again as the last run took, at most {@value #PAUSE_MS_MAX} ms: a shared log that is busy gets fewer and greater runs.
 *
 * <p>Owned by the event loop.
 */
final class Publisher implements FrameSink {
    /** Deflated, about 64 KiB. */
    static final int RUN_BYTES_MAX = 256 * 1024;

    static final long PAUSE_MS_MAX = 20;
    static final long SHOWN_PAUSE_MS = 100;
    /**
     * Less than a log keeps in memory in any case: another gateway that was shown frames has all of them that are not durable, and as
     * the next owner it writes them whatever its disk did.
     */
    static final int SHOWN_BYTES_MAX = 16 * 1024;

    private static final byte[] NOTHING = {};
    private static final int QUEUED_BYTES_MAX = 2 * RUN_BYTES_MAX;
    private static final long RETRY_MS = 250;

    /** What a publisher works with. */
    record Services(SharedLog shared, Clock clock, Timers timers) {}

    /** Its place in the cluster. */
    record Place(String host, String spawnId, long term) {}

    private record Piece(long firstSeq, long lastSeq, ByteBuf lines) {}

    private final Services services;
    private final Place place;
    private final LongConsumer acknowledge;
    private final Runnable finished;
    private final Runnable stale;
    private final ArrayDeque<Piece> queued = new ArrayDeque<>();
    private long queuedBytes;
    private @Nullable Subscription reader;
    private @Nullable Run onTheWay;
    /** Of the last run of the spawn. */
    private long position;

    private long sentMs;
    private long durableMs = -SHOWN_PAUSE_MS;
    private long tookMs;

    private Timers.@Nullable Timer pause;
    private long pauseEndMs;
    private boolean ending;
    private boolean closed;

    /**
     * @param position of the last run of the spawn, 0 for none
     * @param acknowledge called with the number up to which every frame is durable
     * @param finished called when the stream ended and all of it is durable
     * @param stale called when another gateway writes
     */
    Publisher(
            Services services,
            Place place,
            long position,
            LongConsumer acknowledge,
            Runnable finished,
            Runnable stale) {
        this.services = services;
        this.place = place;
        this.position = position;
        this.acknowledge = acknowledge;
        this.finished = finished;
        this.stale = stale;
    }

    /** Begins with that frame. */
    void start(StreamLog log, long fromSeq) {
        reader = log.record(fromSeq, this);
        reader.drain();
    }

    /** Writes nothing more; a run on its way may still arrive. */
    void close() {
        if (!closed) {
            closed = true;
            if (reader != null) {
                reader.close();
            }
            cancelPause();
            queued.forEach(piece -> piece.lines().release());
            queued.clear();
        }
    }

    @Override
    public boolean isWritable() {
        return !closed && queuedBytes < QUEUED_BYTES_MAX;
    }

    @Override
    public void write(FrameBatch batch) {
        queued.add(new Piece(batch.firstSeq(), batch.lastSeq(), batch.lines()));
        queuedBytes += batch.bytes();
    }

    @Override
    public void flush() {
        show();
        checkSend();
    }

    /** All that is not durable, as what was shown before may not have come. */
    private void show() {
        byte[] sent = onTheWay == null ? NOTHING : onTheWay.lines();
        if (closed || queued.isEmpty() || sent.length + queuedBytes > SHOWN_BYTES_MAX) {
            return;
        }
        byte[] lines = Arrays.copyOf(sent, sent.length + (int) queuedBytes);
        long first = onTheWay == null ? queued.getFirst().firstSeq() : onTheWay.firstSeq();
        long next = onTheWay == null ? first : onTheWay.lastSeq() + 1;
        int at = sent.length;
        for (Piece piece : queued) {
            if (piece.firstSeq() != next) {
                return;
            }
            int length = piece.lines().readableBytes();
            piece.lines().getBytes(piece.lines().readerIndex(), lines, at, length);
            at += length;
            next = piece.lastSeq() + 1;
        }
        services.shared().show(place.host(), new Run(place.spawnId(), place.term(), first, next - 1, lines));
    }

    private void checkSend() {
        if (closed || onTheWay != null || queued.isEmpty()) {
            return;
        }
        long pauseMs = queuedBytes <= SHOWN_BYTES_MAX ? SHOWN_PAUSE_MS : Math.min(PAUSE_MS_MAX, tookMs);
        long now = services.clock().nowMs();
        long endMs = durableMs + pauseMs;
        boolean waits = durableMs <= now && now < endMs;
        if (!waits || ending || queuedBytes >= RUN_BYTES_MAX) {
            send(next());
        } else if (pause == null || endMs < pauseEndMs) {
            cancelPause();
            pauseEndMs = endMs;
            pause = services.timers().after(endMs - now, this::handlePause);
        }
    }

    private void handlePause() {
        pause = null;
        checkSend();
    }

    private void cancelPause() {
        if (pause != null) {
            pause.cancel();
            pause = null;
        }
    }

    /** Pieces that touch, as one run. */
    private Run next() {
        Piece first = queued.getFirst();
        long last = first.firstSeq() - 1;
        int bytes = 0;
        ArrayDeque<Piece> taken = new ArrayDeque<>();
        while (!queued.isEmpty()
                && queued.getFirst().firstSeq() == last + 1
                && (bytes == 0 || bytes + queued.getFirst().lines().readableBytes() <= RUN_BYTES_MAX)) {
            Piece piece = queued.removeFirst();
            taken.add(piece);
            bytes += piece.lines().readableBytes();
            last = piece.lastSeq();
        }
        byte[] lines = new byte[bytes];
        int at = 0;
        for (Piece piece : taken) {
            int length = piece.lines().readableBytes();
            piece.lines().readBytes(lines, at, length);
            piece.lines().release();
            at += length;
        }
        queuedBytes -= bytes;
        return new Run(place.spawnId(), place.term(), first.firstSeq(), last, lines);
    }

    private void send(Run run) {
        onTheWay = run;
        sentMs = services.clock().nowMs();
        services.shared().append(place.host(), run, position).whenComplete((placed, failure) -> {
            if (closed) {
                return;
            }
            if (failure == null) {
                handleDurable(run, placed);
            } else if (Reason.cause(failure) instanceof StaleException) {
                close();
                stale.run();
            } else {
                services.timers().after(RETRY_MS, () -> {
                    if (!closed) {
                        send(run);
                    }
                });
            }
        });
    }

    private void handleDurable(Run run, long placed) {
        position = placed;
        onTheWay = null;
        durableMs = services.clock().nowMs();
        tookMs = durableMs - sentMs;
        acknowledge.accept(run.lastSeq());
        if (reader != null && !closed) {
            reader.drain();
        }
        checkSend();
        checkFinished();
    }

    private void checkFinished() {
        if (ending && !closed && onTheWay == null && queued.isEmpty()) {
            closed = true;
            finished.run();
        }
    }

    @Override
    public void end() {
        ending = true;
        checkSend();
        checkFinished();
    }

    /** Frames that never came from the worker: readers see the jump. */
    @Override
    public void gap(long from, long to, GapReason reason) {}

    /** Not of the stream. */
    @Override
    public void notice(ErrorCode code, String message) {}

    /** Nothing to write. */
    @Override
    public void throttled(boolean throttled) {}
}
