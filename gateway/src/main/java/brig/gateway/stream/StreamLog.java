package brig.gateway.stream;

import brig.gateway.telemetry.Counters;
import brig.gateway.time.Timers;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
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
 * The log of one spawn: its newest frames in memory, its readers, and what its readers hold back.
 *
 * <p>Frames are appended as they come and are never changed. Memory is bounded by the window: the oldest segment goes
 * when the window is full and no tethered reader is still before its end. A tethered reader that is a whole window
 * behind pauses the source, so that at last the agent's own write blocks; half a window resumes it. An untethered reader
 * holds nothing: when the window has moved past it, it reads from the archive until it has caught up. Reading the window
 * and subscribing to what comes next happen in one turn of the loop, so there is no seam between them.
 *
 * <p>Positions are frames (seq); distances are bytes, so that no count of frames, however small they are, cuts anybody.
 *
 * <p>State owned by the event loop.
 *
 * <p>Decisions 0005, 0026, 0030.
 */
public final class StreamLog {
    /** Who writes the frames, and can be told to wait. */
    public interface Source {
        void pause();

        void resume();
    }

    /** What the log needs of its surroundings. */
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
    /** The reader that keeps the record. */
    private @Nullable Subscription recording;
    /** Readers of Brig's own, which take no reader's place: the recording, and who reads what the stream says. */
    private final Set<Subscription> own = new HashSet<>();

    private Source source = new NoSource();
    /** Told once when the first chunk comes; null where nobody waits for it. */
    private @Nullable Runnable firstChunk;

    private long lastSeq;
    /** The newest frame that the source said it has; what is not here of it is still to come. */
    private long sourceSeq;

    private long endOffset;
    private int nextSegmentBytes = SEGMENT_BYTES_MIN;
    private boolean enlisted;
    private boolean paused;
    private boolean ending;
    private boolean ended;
    private boolean released;

    /** @param lastSeq the last frame that the archive holds already, 0 for a new stream */
    public StreamLog(String epoch, long lastSeq, StreamArchive archive, Services environment) {
        this.epoch = epoch;
        this.lastSeq = lastSeq;
        this.archive = archive;
        this.environment = environment;
        this.throttle = new Throttle(environment.timers(), this::enlist);
    }

    /** Says who writes; the log pauses and resumes it from now on. */
    public void connect(Source newSource) {
        source = newSource;
        if (paused) {
            source.pause();
        }
    }

    /**
     * The source has frames up to that number, and sends them: an earlier process may have shown them to readers and
     * not recorded them. Readers that have them wait, and get none of them again.
     */
    public void expect(long seq) {
        sourceSeq = Math.max(sourceSeq, seq);
    }

    /** The number of the frame that follows all those that readers may have. */
    public long nextSeq() {
        return Math.max(lastSeq, sourceSeq) + 1;
    }

    /**
     * Appends one frame. A number that was seen already is ignored: it came again after a reconnect. A jump is kept as it
     * is, and readers are told of the frames between.
     */
    public void append(long seq, byte[] bytes, int offset, int length) {
        if (seq <= lastSeq || ended) {
            return;
        }
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

    /** Begins a segment for what comes next, and moves the unparsed bytes of the newest one there. */
    Segment newTail(@Nullable Segment before) {
        int unparsedBytes = before == null ? 0 : before.unparsedBytes();
        Segment next = segment(lastSeq + 1, Math.min(2 * unparsedBytes, SEGMENT_BYTES_MAX));
        if (before != null) {
            next.takeUnparsed(before);
        }
        add(next);
        return next;
    }

    /** Makes frames of the unparsed bytes of the newest segment, as far as they are the chunks that come next. */
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

    /** Tells that when the first chunk comes. */
    public void atFirstChunk(Runnable listener) {
        firstChunk = listener;
    }

    /** A chunk is in the log. */
    public void handleChunk() {
        if (firstChunk != null) {
            Runnable listener = firstChunk;
            firstChunk = null;
            listener.run();
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

    /** The last frame came; readers that have everything are ended, the others when they have. */
    public void end() {
        if (!ended) {
            ended = true;
            enlist();
        }
    }

    /**
     * Adds a reader. It gets nothing before its first {@link Subscription#drain}, so that its connection can answer first.
     *
     * @param fromSeq the first frame it wants; one that the source does not have yet means the next one
     * @param tethered whether it holds the worker back when it is slow
     * @throws BrigException {@code MAX_SUBSCRIPTIONS}
     */
    public Subscription subscribe(long fromSeq, boolean tethered, FrameSink sink) {
        return subscribe(fromSeq, tethered, null, sink);
    }

    /** The same for a reader that wants one agent's frames only, where {@code narrowing} is not null. */
    public Subscription subscribe(long fromSeq, boolean tethered, @Nullable AgentFilter narrowing, FrameSink sink) {
        if (readerCount() >= environment.subscriptionsMax()) {
            throw new BrigException(
                    ErrorCode.MAX_SUBSCRIPTIONS,
                    "limits.subscriptionsPerStreamMax (" + environment.subscriptionsMax() + ") is reached",
                    5);
        }
        return add(fromSeq, tethered, narrowing, sink);
    }

    /** Adds a reader of Brig's own from the first frame on. It holds nobody back, and the limit of readers is not for it. */
    public Subscription readThrough(FrameSink sink) {
        Subscription reader = add(1, false, null, sink);
        own.add(reader);
        return reader;
    }

    /** Adds the reader that records what comes from now on. The limit of readers is not for it. */
    Subscription record(FrameSink sink) {
        Subscription reader = add(lastSeq + 1, true, null, sink);
        recording = reader;
        own.add(reader);
        return reader;
    }

    private Subscription add(long fromSeq, boolean tethered, @Nullable AgentFilter narrowing, FrameSink sink) {
        Subscription reader = new Subscription(this, resumePoint(fromSeq), tethered, narrowing, sink);
        readers.add(reader);
        return reader;
    }

    /**
     * The frame that a reader which asks for {@code fromSeq} gets first if nothing is deleted in between. It may be
     * one that the source has still to send again: until then the reader waits.
     */
    public long resumePoint(long fromSeq) {
        return Math.clamp(fromSeq, 1, nextSeq());
    }

    void remove(Subscription reader) {
        readers.remove(reader);
        own.remove(reader);
        if (recording == reader) {
            recording = null;
        }
        checkBackpressure();
        checkReleased();
    }

    /** Tells every reader something that is no frame. */
    void notice(ErrorCode code, String message) {
        List.copyOf(readers).forEach(reader -> reader.notice(code, message));
    }

    /** Brings every reader up to date. Called once per turn of the loop, after the sockets were read. */
    void drain() {
        enlisted = false;
        // A reader that drains may take itself and others off the list.
        for (int i = readers.size() - 1; i >= 0; i = Math.min(i, readers.size()) - 1) {
            readers.get(i).drain();
        }
        window.forEach(Segment::forgetFramed);
        checkBackpressure();
    }

    /** A tethered reader moved on, maybe outside the end of a turn: the source may have waited for that. */
    void handleProgress() {
        if (paused) {
            checkBackpressure();
        }
    }

    /** Pauses or resumes the source by how far the slowest tethered reader is behind, in bytes. */
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
            if (!ending || reader == recording) {
                slowest = Math.min(slowest, reader.holdsFrom(endOffset));
            }
        }
        return slowest;
    }

    /** The worker is being ended, and no captain who does not read may hold that up: what it misses it reads from disk. */
    public void letGo() {
        ending = true;
        checkBackpressure();
    }

    /** Drops the oldest segments while the window is over its bound and nobody holds them. */
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
     * Nothing follows, and the recorder is done: frees the window when its last reader has gone. Not before, for where the
     * disk failed the archive does not have what a reader still needs.
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

    /** The segment that holds that frame or, where it is not in memory, the first one behind it; null where there is none. */
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

    /** Bytes of the stream before that frame; -1 where it is neither in memory nor the next one to come. */
    long offsetOf(long seq) {
        if (seq == lastSeq + 1) {
            return endOffset;
        }
        Segment segment = segmentAt(seq);
        return segment == null || seq < segment.firstSeq()
                ? -1
                : segment.startOffset() + segment.lineStart((int) (seq - segment.firstSeq()));
    }

    /** Bytes of the stream so far. */
    long endOffset() {
        return endOffset;
    }

    /**
     * How many bytes are worth a write of the record: many, for a page of a file costs less the more of them come at once;
     * few when memory is short, since what is not recorded cannot be evicted.
     */
    int recordingBytes() {
        return environment.budget().isExceeded()
                ? SEGMENT_BYTES_MAX
                : Math.min(RECORDING_BYTES, environment.windowBytes() / 2);
    }

    /** Sums what segments grew by when the first browser asked for events. */
    void account(long moreBytes) {
        environment.budget().add(moreBytes);
    }

    LoopFlush turn() {
        return environment.turn();
    }

    Counters counters() {
        return environment.counters();
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

    /** The number of the oldest frame that can still be read, one more than the newest where none can. */
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

    /** Whether a tethered reader holds the worker back, and has for a while. */
    public boolean isThrottled() {
        return throttle.isShown();
    }

    /** Captains and watchers that are attached. */
    public int readerCount() {
        return readers.size() - own.size();
    }

    /** Before a worker is linked there is nobody to pause. */
    private static final class NoSource implements Source {
        @Override
        public void pause() {}

        @Override
        public void resume() {}
    }
}
