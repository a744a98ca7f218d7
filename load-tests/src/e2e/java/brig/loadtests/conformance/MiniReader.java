package brig.loadtests.conformance;

import brig.protocol.ErrorCode;
import brig.protocol.Hints;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.NumberedFrame;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** One who reads a session of a mini server, on a thread of its own. */
final class MiniReader {
    /** How the way in frames what is read. */
    interface Sink {
        void frame(long seq, String line) throws IOException;

        void state(String line) throws IOException;

        void gap(String line, long to) throws IOException;

        void end() throws IOException;

        /** Ends the connection at once. */
        void cut();

        /** Where it goes. */
        MiniChannel channel();

        /** Says the last word to one who was too slow, and ends. */
        void leave(String line) throws IOException;
    }

    private final MiniSession session;
    private final Defect defect;
    private final boolean holds;
    private final boolean merges;
    private final Sink sink;
    private long next;
    private boolean throttled;
    private volatile boolean stopped;

    MiniReader(MiniSession session, long from, boolean captain, boolean merges, Sink sink) {
        this.session = session;
        this.defect = session.defect;
        this.next = from;
        this.holds = defect == Defect.WATCHER_HOLDS_WORKER || (captain && defect != Defect.CAPTAIN_HOLDS_NOBODY);
        this.merges = merges && defect != Defect.MERGES_NOTHING;
        this.sink = sink;
    }

    /** Where a reader that asks for that frame begins. */
    static long begin(MiniSession session, long from) {
        long last = session.lastSeq();
        return switch (session.defect) {
            case RESUMES_ONE_LATE -> Math.min(from + (from > 1 ? 1 : 0), last + 1);
            case RESUMES_ONE_EARLY -> Math.clamp(from - 1, 1, last + 1);
            case REPEATS_THE_NEWEST -> Math.clamp(from, 1, Math.max(last, 1));
            case WAITS_FOR_THE_FUTURE -> from;
            case STARTS_OVER_FOR_THE_FUTURE -> from > last + 1 ? 1 : from;
            case REMEMBERS_POSITION_ITSELF -> from > 1 ? session.rememberedSeq : 1;
            default -> Math.clamp(from, 1, last + 1);
        };
    }

    /** Takes a place among the readers. @throws brig.protocol.BrigException where there is none */
    void join() {
        session.join(this, next, holds);
    }

    void start() {
        sink.channel().onLeave(() -> session.leave(this));
        Thread.ofPlatform().daemon().start(() -> {
            try {
                pump();
            } catch (IOException | UncheckedIOException _) {
                // the connection is gone, and with it the reason to read
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
            } finally {
                session.leave(this);
            }
        });
    }

    /** Not by an interrupt: one that meets a write closes the connection. */
    void stop() {
        stopped = true;
        session.wake();
    }

    private void pump() throws IOException, InterruptedException {
        long begun = next;
        for (byte[] line = await(next); line != null; line = await(next)) {
            if (stopped) {
                return;
            }
            if (sink.channel().isStopping()) {
                leave();
                return;
            }
            long first = session.firstSeq;
            if (throttled != session.throttled) {
                throttled = !throttled;
                sink.state("{\"type\":\"state\",\"state\":\"" + (throttled ? "throttled" : "running") + "\"}");
            }
            if (line.length == 0) {
                continue;
            }
            if (next < first) {
                gap(first);
            } else if (defect == Defect.DROPS_FOR_THE_SLOW && next < session.lastSeq() - 10) {
                next++;
            } else {
                frame(begun, new String(line, StandardCharsets.UTF_8));
            }
            session.move(this, next);
            if (sink.channel().isLeft()) {
                leave();
                return;
            }
        }
        sink.end();
    }

    private byte[] await(long seq) throws InterruptedException {
        return session.await(
                seq,
                () -> stopped
                        || throttled != session.throttled
                        || sink.channel().isStopping());
    }

    private void leave() throws IOException {
        boolean stops = sink.channel().isStopping();
        if (defect == (stops ? Defect.STOPS_WITHOUT_A_WORD : Defect.LEAVES_THE_SLOW_WITHOUT_A_WORD)) {
            sink.end();
            return;
        }
        boolean late = defect == (stops ? Defect.STOPS_WITH_A_WRONG_POSITION : Defect.LETS_THE_SLOW_RESUME_LATE);
        ErrorCode code = stops ? ErrorCode.SHUTTING_DOWN : ErrorCode.SLOW_READER;
        long from = late ? next + 1 : next;
        sink.leave(MiniServer.text(JsonObject.of(
                new ConnectionLine.Refused("the end", code.name(), Hints.NONE, session.epoch, from, null))));
    }

    private void gap(long first) throws IOException {
        long from = next + (defect == Defect.GAP_BEGINS_LATE ? 1 : defect == Defect.GAP_BEGINS_EARLY ? -1 : 0);
        long to = first - 1 + (defect == Defect.GAP_ENDS_EARLY ? -1 : defect == Defect.GAP_ENDS_LATE ? 1 : 0);
        boolean lost = session.lost && defect != Defect.CALLS_THE_LOST_EVICTED;
        String reason = lost || defect == Defect.GAP_WITH_ANOTHER_REASON ? "record_lost" : "evicted";
        JsonObject line = JsonObject.of(new ConnectionLine.Gap(Math.max(from, 1), to, reason, null));
        if (defect == Defect.GAP_WITHOUT_REASON) {
            line = line.with("reason", null);
        }
        if (defect != Defect.FORGETS_GAP && (defect != Defect.SKIPS_WHAT_IS_LOST || !session.lost)) {
            sink.gap(MiniServer.text(line), to);
        }
        next = defect == Defect.GAP_ENDS_LATE ? first + 1 : first;
    }

    private void frame(long begun, String line) throws IOException, InterruptedException {
        long seq = next++;
        switch (defect) {
            case DROPS_A_FRAME -> emit(seq, line, seq != 5);
            case REPEATS_A_FRAME -> {
                sink.frame(seq, line);
                emit(seq, line, seq == 5);
            }
            case SWAPS_TWO_FRAMES -> {
                if (seq == 5) {
                    sink.frame(6, new String(await(6), StandardCharsets.UTF_8));
                }
                emit(seq, line, seq != 6);
            }
            case CUTS_A_LINE -> sink.frame(seq, seq == 5 ? line.substring(0, line.length() / 2) : line);
            case CLOSES_WITHOUT_A_WORD -> {
                sink.frame(seq, line);
                if (seq == 5) {
                    sink.cut();
                }
            }
            case LOSES_AT_THE_SEAM -> {
                long seam = begun == 1 && seq == 1 ? session.lastSeq() : 0;
                sink.frame(seq, line);
                next = seam > 5 ? seam + 2 : next;
            }
            case NUMBERS_PER_READER ->
                sink.frame(seq, line.replace("\"ts\":", "\"ts\":" + (System.nanoTime() % 9 + 1)));
            case TALKS_BEHIND_THE_END -> {
                sink.frame(seq, line);
                if (line.contains("\"terminated\"")) {
                    Frame.Chunk late = new Frame.Chunk(null, null, Frame.Chunk.Channel.STDOUT, "");
                    sink.frame(seq + 1, MiniServer.text(JsonObject.of(new NumberedFrame(seq + 1, 1, late))));
                }
            }
            default -> {
                if (merges) {
                    merge(begun, seq, line);
                } else {
                    sink.frame(seq, line);
                }
            }
        }
    }

    /** With the chunks that follow; all of them were written at once here. */
    private void merge(long begun, long seq, String line) throws IOException, InterruptedException {
        JsonObject frame = read(line);
        StringBuilder content = new StringBuilder(frame.text("content", ""));
        for (JsonObject more = follower(frame); more != null; more = follower(frame)) {
            content.append(defect == Defect.LOSES_TEXT_IN_MERGING ? "" : more.text("content", ""));
            next++;
        }
        if (defect == Defect.RESUMES_BEHIND_A_RANGE && begun == seq && begun > 1) {
            return;
        }
        long last = next - 1;
        boolean one = last == seq;
        JsonObject all = one ? frame : frame.with("seq", last).with("content", content.toString());
        boolean silent = one || defect == Defect.MERGES_WITHOUT_FROM;
        sink.frame(last, MiniServer.text(silent ? all : all.with("from", seq)));
    }

    private JsonObject follower(JsonObject chunk) throws InterruptedException {
        if (next > session.lastSeq() || !chunk.text("type", "").equals("chunk")) {
            return null;
        }
        JsonObject more = read(new String(await(next), StandardCharsets.UTF_8));
        return more.text("type", "").equals("chunk") && more.text("stream", "").equals(chunk.text("stream", ""))
                ? more
                : null;
    }

    private static JsonObject read(String line) {
        return JsonObject.read(line.getBytes(StandardCharsets.UTF_8));
    }

    private void emit(long seq, String line, boolean really) throws IOException {
        if (really) {
            sink.frame(seq, line);
        }
    }
}
