package brig.gateway.stream;

import brig.protocol.ErrorCode;
import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** A connection that writes down what it gets, and is as writable as a test wants it. */
public final class RecordingSink implements FrameSink {
    /** Says only that it wants events. */
    private static final Framing EVENTS = new Framing() {
        @Override
        public int bytesMax() {
            return 0;
        }

        @Override
        public boolean ofEvents() {
            return true;
        }

        @Override
        public void writeHead(ByteBuf out, int bodyBytes) {}

        @Override
        public void writeTail(ByteBuf out) {}
    };

    private final List<String> story = new ArrayList<>();
    private final StringBuilder text = new StringBuilder();
    /** The buffers that batches were slices of. */
    private final Set<ByteBuf> memory = new LinkedHashSet<>();

    private final List<ByteBuf> kept = new ArrayList<>();
    private boolean asEvents;
    private boolean keeping;
    private long room = Long.MAX_VALUE;
    private Runnable onWrite = () -> {};
    private Runnable onFlush = () -> {};
    private int writes;
    private int flushes;
    private boolean ended;

    /** A browser: it takes frames as server-sent events. */
    static RecordingSink ofEvents() {
        RecordingSink sink = new RecordingSink();
        sink.asEvents = true;
        return sink;
    }

    /** A connection whose queue is not sent: it keeps its slices until {@link #releaseKept}. */
    static RecordingSink keeping() {
        RecordingSink sink = new RecordingSink();
        sink.keeping = true;
        return sink;
    }

    /** How many batches it takes from now on. */
    void allow(long batches) {
        room = batches;
    }

    void onWrite(Runnable action) {
        onWrite = action;
    }

    void onFlush(Runnable action) {
        onFlush = action;
    }

    @Override
    public boolean isWritable() {
        return room > 0;
    }

    @Override
    public void write(FrameBatch batch) {
        assertOpen();
        room--;
        writes++;
        story.add(batch.firstSeq() + "-" + batch.lastSeq());
        ByteBuf slice = asEvents ? batch.body(EVENTS) : batch.lines();
        memory.add(root(slice));
        text.append(slice.toString(StandardCharsets.UTF_8));
        if (!asEvents && slice.readableBytes() != batch.bytes()) {
            throw new AssertionError("a batch of " + batch.bytes() + " bytes had " + slice.readableBytes());
        }
        if (keeping) {
            kept.add(slice);
        } else {
            slice.release();
        }
        onWrite.run();
    }

    private static ByteBuf root(ByteBuf slice) {
        ByteBuf root = slice;
        while (root.unwrap() != null) {
            root = root.unwrap();
        }
        return root;
    }

    private void assertOpen() {
        if (ended) {
            throw new AssertionError("written to after its end: " + story);
        }
    }

    @Override
    public void gap(long from, long to, GapReason reason) {
        assertOpen();
        story.add("gap " + from + "-" + to + " " + reason.wireName());
    }

    @Override
    public void notice(ErrorCode code, String message) {
        story.add("notice " + code);
    }

    @Override
    public void throttled(boolean throttled) {
        assertOpen();
        story.add(throttled ? "throttled" : "running");
    }

    @Override
    public void flush() {
        flushes++;
        onFlush.run();
    }

    @Override
    public void end() {
        assertOpen();
        ended = true;
        story.add("end");
    }

    /** Everything that it was told, batches as {@code first-last}. */
    public List<String> story() {
        return story;
    }

    /** The same, with batches that touch written as one: what a reader saw, however it was cut. */
    public List<String> joined() {
        List<String> joined = new ArrayList<>();
        long first = 0;
        long last = 0;
        for (String entry : story) {
            boolean batch = entry.matches("\\d+-\\d+");
            long from = batch ? Long.parseLong(entry.substring(0, entry.indexOf('-'))) : 0;
            if (batch && last + 1 == from && first > 0) {
                joined.removeLast();
            } else if (batch) {
                first = from;
            }
            if (batch) {
                last = Long.parseLong(entry.substring(entry.indexOf('-') + 1));
                joined.add(first + "-" + last);
            } else {
                first = 0;
                joined.add(entry);
            }
        }
        return joined;
    }

    /** The bytes of all frames that came. */
    public String text() {
        return text.toString();
    }

    List<ByteBuf> kept() {
        return kept;
    }

    void releaseKept() {
        kept.forEach(ByteBuf::release);
        kept.clear();
    }

    /** Whether nobody holds any memory that frames came from. */
    boolean isMemoryReleased() {
        return memory.stream().allMatch(buffer -> buffer.refCnt() == 0);
    }

    int writes() {
        return writes;
    }

    int flushes() {
        return flushes;
    }

    public boolean isEnded() {
        return ended;
    }
}
