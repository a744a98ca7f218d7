package brig.gateway.stream;

import brig.gateway.telemetry.Transport;
import brig.gateway.telemetry.TransportCounters;
import brig.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A subscription to a {@link StreamLog}: the next frame wanted, and the sink. Only {@link #drain} advances it. It reads
 * from the window while that has the next frame, and otherwise from the archive, a piece at a time, whenever the sink
 * is writable. Owned by the event loop.
 *
 * <p>For a subscriber that takes merged text, text waits in the log, not here: its position is always behind what was
 * written.
 *
 * <p>Decisions 0005, 0068, 0175.
 */
public final class Subscription {
    /** Its state; only {@link #become} changes it. */
    enum State {
        /** It has everything, or its sink is full: the next {@link #drain} continues. */
        WAITING,
        /** It writes from memory. */
        DRAINING,
        /** It continues after others had their turn on the event loop. */
        DEFERRED,
        /** It waits for the archive. */
        REPLAYING,
        /** It was removed from the log. Final. */
        CLOSED;

        /** Whether the transition to that state is legal. */
        boolean mayBecome(State next) {
            return switch (this) {
                case WAITING -> next == DRAINING || next == CLOSED;
                case DRAINING -> next != DRAINING;
                case DEFERRED, REPLAYING -> next == WAITING || next == CLOSED;
                case CLOSED -> false;
            };
        }
    }

    private static final int BATCH_BYTES_MAX = 64 * 1024;
    private static final int REPLAY_BYTES = 64 * 1024;

    private final StreamLog log;
    private final FrameSink sink;
    /** Whether it counts for the limit of subscribers; false for internal ones. */
    private final boolean counts;

    private final TransportCounters audience;
    private final boolean tethered;
    /** Null for every frame. */
    private final @Nullable AgentFilter narrowing;
    /** Null for frames as they are. */
    private final @Nullable TextMerger merger;

    private final @Nullable Pace pace;
    private final boolean looksInside;

    private long nextSeq;
    /** Bytes of the stream before {@link #nextSeq}; -1 before it has reached the window, while it pauses nobody. */
    private long offset;
    /** The last reported value of {@link StreamLog#isThrottled}. */
    private boolean toldThrottled;

    private State state = State.WAITING;

    Subscription(
            StreamLog log,
            long nextSeq,
            boolean tethered,
            @Nullable AgentFilter narrowing,
            long maxLatencyMs,
            FrameSink sink) {
        this.log = log;
        this.nextSeq = nextSeq;
        this.offset = log.offsetOf(nextSeq);
        this.tethered = tethered;
        this.narrowing = narrowing;
        this.merger = maxLatencyMs == 0 ? null : new TextMerger(maxLatencyMs, narrowing);
        this.pace = maxLatencyMs == 0 ? null : new Pace(log.timers(), maxLatencyMs, this::drain);
        this.looksInside = narrowing != null || maxLatencyMs > 0;
        this.sink = sink;
        this.counts = sink.transport() != Transport.NONE;
        this.audience = log.counters().audience(sink.transport());
        audience.handleSubscribed();
    }

    /** It waits for a frame after that one; what is numbered so will be new. */
    void comeBack(long seq) {
        if (nextSeq > seq) {
            nextSeq = seq;
            offset = log.offsetOf(seq);
        }
    }

    /** Writes available frames while the sink is writable. Called for new frames and when the sink becomes writable. */
    public void drain() {
        if (state == State.WAITING && (pace == null || !isTextWaiting(pace))) {
            writeOn();
        }
    }

    private void writeOn() {
        become(State.DRAINING);
        try {
            if (nextSeq <= log.lastSeq()) {
                sink.handleFramesWaiting();
            }
            while (state == State.DRAINING && nextSeq <= log.lastSeq() && sink.isWritable()) {
                Segment segment = log.segmentAt(nextSeq);
                if (segment == null || segment.firstSeq() > nextSeq) {
                    replay(segment);
                    return;
                }
                writeFrom(segment);
                if (looksInside && state == State.DRAINING && nextSeq <= log.lastSeq()) {
                    goOnLater();
                    return;
                }
            }
            tellThrottled();
        } finally {
            if (state == State.DRAINING) {
                become(State.WAITING);
            }
            if (tethered) {
                log.handleProgress();
            }
        }
        if (state != State.CLOSED && log.isEnded() && nextSeq > log.lastSeq()) {
            close();
            sink.end();
        }
    }

    /** Whether to wait: there is text alone, and it has not waited for long. */
    private boolean isTextWaiting(Pace its) {
        return its.isPausing() && !log.isEnded() && pendingBytes() < Pace.WAITING_BYTES_MAX && log.isTextFrom(nextSeq);
    }

    /** The only state transition. @throws IllegalStateException if it is illegal */
    private void become(State next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("a subscription cannot become " + next + " from " + state);
        }
        state = next;
    }

    /** Looking into frames takes time and a subscriber that wants none never fills up, so others get their turn. */
    private void goOnLater() {
        become(State.DEFERRED);
        log.turn().defer(this::goOn);
    }

    private void goOn() {
        if (state == State.DEFERRED) {
            become(State.WAITING);
            writeOn();
        }
    }

    private void tellThrottled() {
        if (toldThrottled != log.isThrottled() && state != State.CLOSED && sink.isWritable()) {
            toldThrottled = !toldThrottled;
            sink.throttled(toldThrottled);
            log.turn().wrote(sink);
        }
    }

    private void writeFrom(Segment segment) {
        int held = segment.heldBytes();
        FrameBatch batch = segment.batch(nextSeq, BATCH_BYTES_MAX);
        write(batch);
        log.account(segment.heldBytes() - held);
        offset = segment.startOffset() + segment.lineStart((int) (nextSeq - segment.firstSeq()));
    }

    private void write(FrameBatch batch) {
        if (merger != null) {
            merger.merge(batch, log.allocator(), log.epoch(), this::giveMerged);
        } else if (narrowing == null) {
            give(batch);
        } else {
            batch.narrow(narrowing, this::give);
        }
        log.turn().wrote(sink);
        nextSeq = batch.lastSeq() + 1;
    }

    private void give(FrameBatch batch) {
        audience.handleDelivered(batch.count(), batch.bytes());
        sink.write(batch);
    }

    private void giveMerged(FrameBatch batch) {
        if (pace != null) {
            pace.handleWritten(batch.endsInText());
        }
        give(batch);
    }

    private void replay(@Nullable Segment inMemory) {
        become(State.REPLAYING);
        long firstInMemory = inMemory == null ? log.lastSeq() + 1 : inMemory.firstSeq();
        log.archive().read(nextSeq, REPLAY_BYTES).whenComplete((stored, failure) -> {
            if (state != State.REPLAYING) {
                return;
            }
            become(State.WAITING);
            if (failure != null || stored.lines().length == 0 || stored.firstSeq() >= firstInMemory) {
                skipTo(firstInMemory, failure == null ? stored.missing() : GapReason.RECORD_LOST);
            } else {
                if (stored.firstSeq() > nextSeq) {
                    skipTo(stored.firstSeq(), stored.missing());
                }
                writeStored(stored);
            }
            // A tethered subscriber from the archive holds the window from here on. One that was here already and met a
            // jump of the source never released it.
            long reached = log.offsetOf(nextSeq);
            if (reached >= 0) {
                offset = reached;
            }
            writeOn();
        });
    }

    private void writeStored(StreamArchive.Stored stored) {
        Segment segment = Segment.ofLines(log.allocator(), log.epoch(), stored.firstSeq(), stored.lines());
        write(segment.batch(nextSeq, Integer.MAX_VALUE - stored.lines().length));
        segment.release();
    }

    private void skipTo(long seq, GapReason reason) {
        sink.gap(nextSeq, seq - 1, reason);
        if (counts) {
            log.counters().handleGap(reason.wireName(), seq - nextSeq);
        }
        log.turn().wrote(sink);
        nextSeq = seq;
    }

    void notice(ErrorCode code, String message) {
        sink.notice(code, message);
        log.turn().wrote(sink);
    }

    /** The byte from which the stream must stay in memory; {@code end} for no requirement. */
    long holdsFrom(long end) {
        return tethered && offset >= 0 ? offset : end;
    }

    /** Bytes of the window not written yet; more than any limit before it has reached the window. */
    long pendingBytes() {
        return offset < 0 ? Long.MAX_VALUE : log.endOffset() - offset;
    }

    /** The next frame wanted, at which a lost connection resumes. */
    public long nextSeq() {
        return nextSeq;
    }

    /** Removes it from the log. The sink is not told, since the caller knows. */
    public void close() {
        if (state != State.CLOSED) {
            become(State.CLOSED);
            if (pace != null) {
                pace.stop();
            }
            audience.handleUnsubscribed();
            log.remove(this);
        }
    }
}
