package brig.loadtests.client;

import brig.protocol.frame.Frame;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;

/**
 * Everything that one client learns of one stream, over any number of connections. It checks section 5.3: every number
 * follows the previous one or the end of a {@code gap}; nothing follows {@code state terminated}; an end without that
 * frame is a cut.
 */
public final class Transcript {
    private static final List<String> REASONS = List.of("evicted", "record_lost", "record_damaged", "epoch_changed");

    private final StringBuilder text = new StringBuilder();
    /** Hashes of frames, so that streams of any length can be compared. */
    private final TreeMap<Long, Integer> hashes = new TreeMap<>();
    /** All frames except chunks. */
    private final TreeMap<Long, Event.Frame> others = new TreeMap<>();

    private final List<Event.Gap> gaps = new ArrayList<>();
    private final List<Event.Note> notes = new ArrayList<>();
    private String epoch = "";
    private long next;
    private int dones;
    private int welcomes;
    private boolean terminated;

    private Transcript(long next) {
        this.next = next;
    }

    /** For a client without a position. */
    public static Transcript fresh() {
        return new Transcript(1);
    }

    public static Transcript from(long seq) {
        return new Transcript(seq);
    }

    public void accept(Event event) {
        switch (event) {
            case Event.Frame frame -> handleFrame(frame);
            case Event.Gap gap -> handleGap(gap);
            case Event.Welcome welcome -> handleWelcome(welcome);
            case Event.Note note -> notes.add(note);
            case Event.Comment _ -> {}
            case Event.Refused refused -> throw new Violation("the stream was refused: " + refused);
            case Event.End end ->
                throw new Violation("the connection ended behind frame " + (next - 1) + " without state terminated: "
                        + end + ", last notice " + lastNotice());
        }
    }

    private void handleWelcome(Event.Welcome welcome) {
        Violation.require(welcome.epoch().matches("[0-9a-z]{8}"), "an epoch is '" + welcome.epoch() + "'");
        Violation.require(
                epoch.isEmpty() || epoch.equals(welcome.epoch()),
                "the epoch was " + epoch + " and is " + welcome.epoch());
        Violation.require(
                welcome.from() == next, "the stream begins at " + welcome.from() + " where " + next + " is due");
        epoch = welcome.epoch();
        next = welcome.from();
        welcomes++;
    }

    private void handleFrame(Event.Frame frame) {
        Violation.require(welcomes > 0, "a frame came before the welcome");
        Violation.require(!terminated, "frame " + frame.seq() + " stands behind state terminated");
        Violation.require(
                frame.firstSeq() == next,
                "frame " + frame.firstSeq() + " came where " + next + " was due, and nothing was said");
        Violation.require(frame.seq() >= next, "a merged chunk ends before it begins");
        next = frame.seq() + 1;
        switch (frame.says()) {
            case Frame.Chunk chunk -> {
                hashes.put(frame.seq(), frame.fields().hashCode());
                text.append(chunk.stream() == Frame.Chunk.Channel.STDOUT ? chunk.content() : "");
                return;
            }
            case Frame.State state -> terminated = state.isTerminated();
            case Frame.Done _ -> dones++;
            case null, default -> {}
        }
        hashes.put(frame.seq(), frame.fields().hashCode());
        others.put(frame.seq(), frame);
    }

    private void handleGap(Event.Gap gap) {
        Violation.require(!terminated, "a gap stands behind state terminated");
        Violation.require(REASONS.contains(gap.reason()), "the reason of a gap is '" + gap.reason() + "'");
        Violation.require(
                gap.from() == next && gap.to() >= gap.from(),
                "a gap is " + gap.from() + " to " + gap.to() + " where " + next + " is due");
        gaps.add(gap);
        next = gap.to() + 1;
        text.setLength(0);
    }

    public Transcript read(Reader reader, BooleanSupplier enough) throws IOException {
        while (!enough.getAsBoolean()) {
            accept(reader.next());
        }
        return this;
    }

    /** Reads the first event, which must say where the stream begins. */
    public Transcript open(Reader reader) throws IOException {
        int before = welcomes;
        accept(reader.next());
        Violation.require(welcomes > before, "the first thing said is no welcome: " + notes);
        return this;
    }

    public Transcript readToEnd(Reader reader) throws IOException {
        return read(reader, () -> terminated);
    }

    public Transcript readTo(Reader reader, long seq) throws IOException {
        return read(reader, () -> next > seq);
    }

    public Transcript readDones(Reader reader, int count) throws IOException {
        return read(reader, () -> dones >= count);
    }

    /** As above, for a connection that may end earlier; whether it was enough. */
    public boolean readOrCut(Reader reader, BooleanSupplier enough) throws IOException {
        while (!enough.getAsBoolean()) {
            Event event = reader.next();
            if (event instanceof Event.End) {
                return false;
            }
            accept(event);
        }
        return true;
    }

    /** Reads to the end, and resumes up to that many times if the server cuts the connection. */
    public Transcript readResuming(StreamTransport way, Session session, Reader first, int resumes) throws IOException {
        boolean whole = readOrCut(first, () -> terminated);
        for (int i = 0; i < resumes && !whole; i++) {
            try (Reader again = way.open(session, OpenRequest.watcher(session).from(next))) {
                whole = readOrCut(again, () -> terminated);
            }
        }
        Violation.require(whole, "no state terminated came on " + (resumes + 1) + " connections");
        return this;
    }

    /** Checks that the whole output of the agent is there, and nothing else. */
    public void requireOutput(String expected) {
        requireNoGap();
        Violation.require(
                expected.contentEquals(text),
                "the content is not what the agent wrote: " + text.length() + " bytes of " + expected.length());
    }

    /** As above, with gaps permitted: the text after them must be the end of the output. */
    public void requireTail(String expected) {
        boolean tail = !gaps.isEmpty() && expected.endsWith(text.toString());
        Violation.require(tail || expected.contentEquals(text), "the content is not the end of what the agent wrote");
    }

    public void requireNoGap() {
        Violation.require(gaps.isEmpty(), "a gap was said where nothing may be gone: " + gaps);
    }

    /** Checks that the last notice has that reason, and the position of this client. */
    public void requireLastWord(String code) {
        Violation.require(!notes.isEmpty(), "the connection ended without a word");
        Event.Note word = notes.getLast();
        Violation.requireEqual(code, word.code(), "the code of the last word");
        Violation.requireEqual(epoch, word.fields().text("epoch", ""), "the epoch in the last word");
        Violation.requireEqual(next, word.fields().number("from", 0), "'from' in the last word");
    }

    public String epoch() {
        return epoch;
    }

    public long next() {
        return next;
    }

    public int dones() {
        return dones;
    }

    public boolean terminated() {
        return terminated;
    }

    public StringBuilder text() {
        return text;
    }

    public List<Event.Gap> gaps() {
        return gaps;
    }

    /** The last notice, for people. */
    private String lastNotice() {
        return notes.isEmpty() ? "nothing" : notes.getLast().toString();
    }

    /** The last reported throttled state; empty for none. */
    public String state() {
        return notes.stream()
                .filter(note -> note.type().equals("state"))
                .reduce((first, last) -> last)
                .map(note -> note.fields().text("state", ""))
                .orElse("");
    }

    /** A hash of each frame by its number; equal for readers of the same frames. */
    public Map<Long, Integer> hashes() {
        return hashes;
    }

    /** A field of a frame that is not a chunk; empty if absent. */
    public String field(long seq, String name) {
        Event.Frame frame = others.get(seq);
        return frame == null ? "" : frame.fields().text(name, "");
    }

    /** All frames of that kind, in order; chunks are not kept. */
    public <F extends Frame> List<F> frames(Class<F> kind) {
        return others.values().stream()
                .map(Event.Frame::says)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }
}
