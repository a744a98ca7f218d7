package brig.gateway.stream;

import brig.gateway.telemetry.Transport;
import brig.gateway.telemetry.TransportCounters;
import brig.protocol.ErrorCode;
import org.jspecify.annotations.Nullable;

/**
 * A reader of a {@link StreamLog}: the next frame it wants, and the sink that takes it. {@link #drain} is the only thing
 * that moves it. While the window has its next frame it reads there; when the window has moved on, or never had it, it
 * reads from the archive, a piece at a time, each when the sink can take it. State owned by the event loop.
 *
 * <p>Decisions 0005, 0068.
 */
public final class Subscription {
    /** What it is doing; only {@link #become} changes it. */
    enum State {
        /** It has what there is, or its sink takes no more: the next {@link #drain} goes on. */
        WAITING,
        /** It writes what is in memory. */
        DRAINING,
        /** It goes on when others had their turn of the loop. */
        DEFERRED,
        /** It waits for the archive. */
        REPLAYING,
        /** It is off the log. Final. */
        CLOSED;

        /** Whether that state may follow this one. */
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
    /** Whether it is a subscriber, and none of Brig's own. */
    private final boolean counts;

    private final TransportCounters audience;
    private final boolean tethered;
    /** Null for a reader that wants every frame. */
    private final @Nullable AgentFilter narrowing;

    private long nextSeq;
    /** Bytes of the stream before {@link #nextSeq}; -1 until it has reached the window: until then it holds nobody back. */
    private long offset;
    /** What it was told last of {@link StreamLog#isThrottled}. */
    private boolean toldThrottled;

    private State state = State.WAITING;

    Subscription(StreamLog log, long nextSeq, boolean tethered, @Nullable AgentFilter narrowing, FrameSink sink) {
        this.log = log;
        this.nextSeq = nextSeq;
        this.offset = log.offsetOf(nextSeq);
        this.tethered = tethered;
        this.narrowing = narrowing;
        this.sink = sink;
        this.counts = sink.transport() != Transport.NONE;
        this.audience = log.counters().audience(sink.transport());
        audience.handleSubscribed();
    }

    /** Writes what is there while the sink takes it. Called when frames came and when the sink is writable again. */
    public void drain() {
        if (state != State.WAITING) {
            return;
        }
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
                if (narrowing != null && state == State.DRAINING && nextSeq <= log.lastSeq()) {
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

    /** The only transition. @throws IllegalStateException where the states do not allow it */
    private void become(State next) {
        if (!state.mayBecome(next)) {
            throw new IllegalStateException("a subscription cannot become " + next + " from " + state);
        }
        state = next;
    }

    /** To look into frames takes its time, and a reader that wants none of them is never full: others come between. */
    private void goOnLater() {
        become(State.DEFERRED);
        log.turn().defer(this::goOn);
    }

    private void goOn() {
        if (state == State.DEFERRED) {
            become(State.WAITING);
            drain();
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
        if (narrowing == null) {
            give(batch);
        } else {
            batch.narrow(narrowing, this::give);
        }
        log.turn().wrote(sink);
        nextSeq = batch.lastSeq() + 1;
    }

    private void give(FrameBatch batch) {
        audience.handleDelivered(batch.lastSeq() + 1 - batch.firstSeq(), batch.bytes());
        sink.write(batch);
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
            // A tethered reader that comes from the archive holds the window from where it reaches it. One that was
            // there already, and met a jump of the source, has never let go.
            long reached = log.offsetOf(nextSeq);
            if (reached >= 0) {
                offset = reached;
            }
            drain();
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

    /** The byte from which on it needs the stream to stay in memory; {@code end} where it holds nothing. */
    long holdsFrom(long end) {
        return tethered && offset >= 0 ? offset : end;
    }

    /** Bytes of the window that it has not written; more than any bound while it has not reached the window. */
    long pendingBytes() {
        return offset < 0 ? Long.MAX_VALUE : log.endOffset() - offset;
    }

    /** The next frame it wants: what to resume from after its connection is lost. */
    public long nextSeq() {
        return nextSeq;
    }

    public boolean isTethered() {
        return tethered;
    }

    /** Takes the reader off the log. The sink is not told: who closes knows. */
    public void close() {
        if (state != State.CLOSED) {
            become(State.CLOSED);
            audience.handleUnsubscribed();
            log.remove(this);
        }
    }
}
