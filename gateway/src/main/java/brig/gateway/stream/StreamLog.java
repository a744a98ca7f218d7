package brig.gateway.stream;

import brig.gateway.telemetry.Counters;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.StreamPosition;
import brig.protocol.wire.ChunkScanner;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.PooledByteBufAllocator;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The log of one spawn: its newest frames in memory, its subscribers, and the backpressure that they cause.
 *
 * <p>Frames are appended as they come and are never changed. Memory is bounded by the window: the oldest segment is
 * evicted when the window is full and every tethered subscriber is past its end. A tethered subscriber that is a whole
 * window behind pauses the source, so that finally the agent's own write blocks; half a window resumes it. An
 * untethered subscriber never pauses it: when the window has passed it, it reads from the archive until it has caught
 * up. Reading the window and subscribing to new frames happen in one iteration of the event loop, so no frame is missed
 * between.
 *
 * <p>Positions are frames (seq); distances are bytes, so that many small frames are not a long distance.
 *
 * <p>Owned by the event loop.
 *
 * <p>Decisions 0005, 0026, 0030, 0166.
 */
public final class StreamLog {
    /** The source of the frames, which can be paused. */
    public interface Source {
        void pause();

        void resume();
    }

    /** The log's dependencies. */
    public record Services(
            LoopFlush turn,
            RetainedBudget budget,
            RecordingClock ticks,
            Timers timers,
            Counters counters,
            int windowBytes,
            int subscriptionsMax) {}

    private static final int SEGMENT_BYTES_MIN = 4 * 1024;
    private static final int SEGMENT_BYTES_MAX = 64 * 1024;
    private static final int RECORDING_BYTES = 256 * 1024;

    private final String epoch;
    private final Services environment;
    private final StreamArchive archive;
    private final Throttle throttle;
    private final ByteBufAllocator allocator = PooledByteBufAllocator.DEFAULT;
    private final ArrayDeque<Segment> window = new ArrayDeque<>();
    private final List<Subscription> readers = new ArrayList<>();
    /** The subscriptions that make frames durable: nothing leaves memory before them. */
    private final Set<Subscription> recording = new HashSet<>();
    /** Internal subscriptions, which do not count for the limit: those that record, and readers of the content. */
    private final Set<Subscription> own = new HashSet<>();

    private Source source = new NoSource();
    /** Called once at the first chunk; null for none. */
    private @Nullable Runnable firstChunk;

    private Runnable changed = () -> {};

    private long lastSeq;
    /** The newest frame that the source announced; those missing here are still to come. */
    private long sourceSeq;
    /** The source is out of reach, and has not said what it has. */
    private boolean sourceUnknown;

    private long endOffset;
    /** The end at the last drain. */
    private long drainedOffset;

    private final ScreenMark screen = new ScreenMark();
    private int nextSegmentBytes = SEGMENT_BYTES_MIN;
    private boolean enlisted;
    private boolean paused;
    /** Slow captains hold nothing back. */
    private boolean freed;

    private boolean ended;
    private boolean released;

    /** @param lastSeq the last frame in the archive, 0 for a new stream */
    public StreamLog(String epoch, long lastSeq, StreamArchive archive, Services environment) {
        this.epoch = epoch;
        this.lastSeq = lastSeq;
        this.archive = archive;
        this.environment = environment;
        this.throttle = new Throttle(environment.timers(), this::handleThrottled);
    }

    /** Sets the source, which the log pauses and resumes from now on. */
    public void connect(Source newSource) {
        source = newSource;
        if (paused) {
            source.pause();
        }
    }

    /**
     * The source has frames up to that number and will send them: an earlier process may have delivered them without
     * recording them. Subscribers that have them wait and do not get them again.
     */
    public void expect(long seq) {
        sourceSeq = Math.max(sourceSeq, seq);
        know();
    }

    /** The source may have any number of frames, and says later how many: subscribers wait wherever they are. */
    public void expectAny() {
        sourceUnknown = true;
    }

    /** Subscribers that wanted only new frames, or those that are lost, get what comes next. */
    private void know() {
        if (sourceUnknown) {
            sourceUnknown = false;
            readers.forEach(reader -> reader.comeBack(nextSeq()));
        }
    }

    /** The number after all frames that subscribers may have. */
    public long nextSeq() {
        return Math.max(lastSeq, sourceSeq) + 1;
    }

    /**
     * Appends one frame. A known number is ignored, as it repeats after a reconnect. A jump is kept, and subscribers
     * are told of the missing frames.
     */
    public void append(long seq, byte[] bytes, int offset, int length) {
        if (seq <= lastSeq || ended) {
            return;
        }
        know();
        Segment last = window.peekLast();
        if (last == null || last.endSeq() != seq || !last.hasRoomFor(length)) {
            last = segment(seq, length);
            add(last);
        }
        last.append(bytes, offset, length);
        lastSeq = seq;
        endOffset = last.endOffset();
        counters().handleFrames(1, length);
        enlist();
    }

    /** The newest segment, if the next frame belongs into it. */
    @Nullable
    Segment tail() {
        Segment last = window.peekLast();
        return last != null && last.endSeq() == lastSeq + 1 ? last : null;
    }

    /** Begins a segment for the next frames and moves the newest one's unparsed bytes there. */
    Segment newTail(@Nullable Segment before) {
        int unparsedBytes = before == null ? 0 : before.unparsedBytes();
        Segment next = segment(lastSeq + 1, Math.min(2 * unparsedBytes, SEGMENT_BYTES_MAX));
        if (before != null) {
            next.takeUnparsed(before);
        }
        add(next);
        return next;
    }

    /** Converts unparsed bytes of the newest segment to frames as far as they are the expected chunks. */
    void parse(Segment tail, ChunkScanner scanner) {
        int parsed = ended ? 0 : tail.parse(scanner);
        if (parsed > 0) {
            counters().handleFrames(tail.endSeq() - 1 - lastSeq, parsed);
            lastSeq = tail.endSeq() - 1;
            endOffset = tail.endOffset();
            enlist();
            handleChunk();
        }
    }

    /** Sets the listener for the first chunk. */
    public void atFirstChunk(Runnable listener) {
        firstChunk = listener;
    }

    /** Sets what is run when it has another number of readers, or is throttled, or is no longer. */
    public void atChange(Runnable listener) {
        changed = listener;
    }

    private void handleThrottled() {
        enlist();
        changed.run();
    }

    /** A chunk was appended. */
    public void handleChunk() {
        if (firstChunk != null) {
            Runnable listener = firstChunk;
            firstChunk = null;
            listener.run();
        }
    }

    /**
     * A piece of a checkpoint was appended.
     *
     * @param more whether others follow
     */
    public void handleScreen(long seq, boolean more) {
        screen.handle(seq, more);
    }

    /** Looks for the checkpoint of an earlier process, and until it is found takes the first frame for it. */
    public void findScreen() {
        if (lastSeq > 0) {
            new ScreenSearch(archive, lastSeq, screen).begin();
        }
    }

    private void enlist() {
        if (!enlisted) {
            enlisted = true;
            environment.turn().enlist(this);
        }
    }

    private Segment segment(long seq, int length) {
        Segment segment = new Segment(allocator, epoch, seq, endOffset, Math.max(nextSegmentBytes, length));
        nextSegmentBytes = Math.min(nextSegmentBytes * 2, SEGMENT_BYTES_MAX);
        return segment;
    }

    private void add(Segment segment) {
        Segment last = window.peekLast();
        if (last != null && last.isEmpty()) {
            free(window.removeLast());
        }
        evict();
        environment.budget().add(segment.heldBytes());
        window.add(segment);
    }

    /** The last frame came; each subscription ends when it has everything. */
    public void end() {
        if (!ended) {
            know();
            ended = true;
            enlist();
        }
    }

    /**
     * Adds a subscription. It gets nothing before its first {@link Subscription#drain}, as its connection answers
     * first.
     *
     * @param fromSeq the first frame wanted; one that the source does not have yet means the next one
     * @param tethered whether it pauses the worker when it is slow
     * @param narrowing limits it to one agent's frames; null for all frames
     * @param maxLatencyMs how long text may wait to be merged; 0 for frames as they are
     * @throws BrigException {@code MAX_SUBSCRIPTIONS}
     */
    public Subscription subscribe(
            long fromSeq, boolean tethered, @Nullable AgentFilter narrowing, long maxLatencyMs, FrameSink sink) {
        if (readerCount() >= environment.subscriptionsMax()) {
            throw new BrigException(
                    ErrorCode.MAX_SUBSCRIPTIONS,
                    "limits.subscriptionsPerStreamMax (" + environment.subscriptionsMax() + ") is reached",
                    5);
        }
        Subscription reader = add(fromSeq, tethered, narrowing, maxLatencyMs, sink);
        changed.run();
        return reader;
    }

    /** Adds an internal subscription from the first frame on. It is untethered and does not count for the limit. */
    public Subscription readThrough(FrameSink sink) {
        Subscription reader = add(1, false, null, 0, sink);
        own.add(reader);
        return reader;
    }

    /** Adds a subscription that makes frames durable, from that one on. It does not count for the limit. */
    public Subscription record(long fromSeq, FrameSink sink) {
        Subscription reader = add(fromSeq, true, null, 0, sink);
        recording.add(reader);
        own.add(reader);
        return reader;
    }

    private Subscription add(
            long fromSeq, boolean tethered, @Nullable AgentFilter narrowing, long maxLatencyMs, FrameSink sink) {
        Subscription reader = new Subscription(this, resumePoint(fromSeq), tethered, narrowing, maxLatencyMs, sink);
        readers.add(reader);
        return reader;
    }

    /**
     * The first frame for a subscriber that asks for {@code fromSeq}, if nothing is deleted in between. The source may
     * still have to send it again; until then the subscriber waits.
     *
     * @param fromSeq the number of a frame, or {@link StreamPosition#SCREEN} for the newest whole checkpoint
     */
    public long resumePoint(long fromSeq) {
        if (fromSeq == StreamPosition.SCREEN) {
            return screen.seq() < firstSeq() ? 1 : screen.seq();
        }
        return Math.clamp(fromSeq, 1, sourceUnknown ? Long.MAX_VALUE : nextSeq());
    }

    void remove(Subscription reader) {
        readers.remove(reader);
        boolean wasOwn = own.remove(reader);
        recording.remove(reader);
        checkBackpressure();
        checkReleased();
        if (!wasOwn) {
            changed.run();
        }
    }

    /** Sends a notice to all subscribers. */
    void notice(ErrorCode code, String message) {
        List.copyOf(readers).forEach(reader -> reader.notice(code, message));
    }

    /** Drains all subscriptions. Called once per event loop iteration, after the sockets were read. */
    void drain() {
        enlisted = false;
        drainedOffset = endOffset;
        // A drain may remove this and other subscriptions from the list.
        for (int i = readers.size() - 1; i >= 0; i = Math.min(i, readers.size()) - 1) {
            readers.get(i).drain();
        }
        window.forEach(Segment::forgetFramed);
        checkBackpressure();
    }

    /** New since the last drain. */
    long undrainedBytes() {
        return endOffset - drainedOffset;
    }

    /** A tethered subscriber advanced, perhaps outside of the end of an iteration: the source may resume. */
    void handleProgress() {
        if (paused) {
            checkBackpressure();
        }
    }

    /** Pauses or resumes the source by the slowest tethered subscriber's distance in bytes. */
    private void checkBackpressure() {
        long services = endOffset - slowestTethered();
        if (!paused && services > environment.windowBytes()) {
            paused = true;
            source.pause();
            throttle.handlePaused(true);
            counters().handlePaused(true);
        } else if (paused && services <= environment.windowBytes() / 2) {
            paused = false;
            source.resume();
            throttle.handlePaused(false);
            counters().handlePaused(false);
        }
    }

    private long slowestTethered() {
        long slowest = endOffset;
        for (Subscription reader : readers) {
            if (!freed || recording.contains(reader)) {
                slowest = Math.min(slowest, reader.holdsFrom(endOffset));
            }
        }
        return slowest;
    }

    /** Whether slow captains hold the worker back. One that does not reads what it misses from disk. */
    public void setHeldByCaptains(boolean held) {
        freed = !held;
        checkBackpressure();
    }

    /** Evicts the oldest segments while the window exceeds its limit and nobody needs them. */
    private void evict() {
        int bound = environment.budget().isExceeded() ? SEGMENT_BYTES_MAX : environment.windowBytes();
        long slowest = slowestTethered();
        Segment oldest = window.peek();
        while (oldest != null && endOffset - oldest.startOffset() > bound && oldest.endOffset() <= slowest) {
            free(window.remove());
            oldest = window.peek();
        }
    }

    private void free(Segment segment) {
        environment.budget().add(-segment.heldBytes());
        segment.release();
    }

    /**
     * The stream is complete and recorded: frees the window with its last subscriber. Not before, since after a disk
     * failure the archive lacks what subscribers still need.
     */
    public void release() {
        released = true;
        checkReleased();
    }

    private void checkReleased() {
        while (released && readers.isEmpty() && !window.isEmpty()) {
            free(window.remove());
        }
    }

    /** The segment with that frame or, if it is not in memory, the first one after it; null for none. */
    @Nullable
    Segment segmentAt(long seq) {
        Segment newest = window.peekLast();
        if (newest == null || seq >= newest.firstSeq()) {
            return newest != null && seq < newest.endSeq() ? newest : null;
        }
        for (Segment segment : window) {
            if (seq < segment.endSeq()) {
                return segment;
            }
        }
        return null;
    }

    /** Whether all frames from that one on are in memory, and text. */
    boolean isTextFrom(long seq) {
        for (long next = seq; next <= lastSeq; next++) {
            Segment segment = segmentAt(next);
            if (segment == null || segment.firstSeq() > next || !segment.isChunk((int) (next - segment.firstSeq()))) {
                return false;
            }
        }
        return true;
    }

    /** Bytes of the stream before that frame; -1 if it is neither in memory nor the next one. */
    long offsetOf(long seq) {
        if (seq == lastSeq + 1) {
            return endOffset;
        }
        Segment segment = segmentAt(seq);
        return segment == null || seq < segment.firstSeq()
                ? -1
                : segment.startOffset() + segment.lineStart((int) (seq - segment.firstSeq()));
    }

    /** Length of the stream so far, in bytes. */
    long endOffset() {
        return endOffset;
    }

    /**
     * How many bytes a write of the record should have: many, since larger writes are cheaper per byte; few when memory
     * is short, since unrecorded frames cannot be evicted.
     */
    int recordingBytes() {
        return environment.budget().isExceeded()
                ? SEGMENT_BYTES_MAX
                : Math.min(RECORDING_BYTES, environment.windowBytes() / 2);
    }

    /** Adds the growth of segments when the first browser subscribes to events. */
    void account(long moreBytes) {
        environment.budget().add(moreBytes);
    }

    LoopFlush turn() {
        return environment.turn();
    }

    Counters counters() {
        return environment.counters();
    }

    Timers timers() {
        return environment.timers();
    }

    RecordingClock ticks() {
        return environment.ticks();
    }

    StreamArchive archive() {
        return archive;
    }

    ByteBufAllocator allocator() {
        return allocator;
    }

    public String epoch() {
        return epoch;
    }

    /** The number of the oldest readable frame, one more than the newest if there is none. */
    public long firstSeq() {
        Segment oldest = window.peek();
        return Math.min(archive.firstSeq(), oldest == null ? lastSeq + 1 : oldest.firstSeq());
    }

    /** The number of the newest frame, 0 for none. */
    public long lastSeq() {
        return lastSeq;
    }

    public boolean isEnded() {
        return ended;
    }

    /** Whether a tethered subscriber pauses the worker, and has for a while. */
    public boolean isThrottled() {
        return throttle.isShown();
    }

    /** Number of attached captains and watchers. */
    public int readerCount() {
        return readers.size() - own.size();
    }

    /** Before a worker is connected there is nothing to pause. */
    private static final class NoSource implements Source {
        @Override
        public void pause() {}

        @Override
        public void resume() {}
    }
}
