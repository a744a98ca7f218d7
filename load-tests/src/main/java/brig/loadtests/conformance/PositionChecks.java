package brig.loadtests.conformance;

import brig.loadtests.client.Event;
import brig.loadtests.client.EventReader;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.loadtests.client.Workload;
import brig.loadtests.conformance.Check.Needs;
import brig.protocol.Limits;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Where a reader begins for any position, and connections that end at any byte. */
final class PositionChecks {
    private static final Workload WORK = new Workload(1, 12, 3, 20, "0.01");
    /** A machine with much else to do reads pieces that come soon one after the other as one. */
    private static final Workload APART = new Workload(1, 12, 3, 20, "0.1");

    private static final Set<StreamTransport> SSE = Set.of(StreamTransport.SSE);

    private PositionChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "cut",
                        "5.2",
                        "To resume, connect with `from` = last `seq` seen + 1.",
                        "cut behind any byte and resumed: nothing lost, nothing twice",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        PositionChecks::cut),
                new Check(
                        "old",
                        "5.2",
                        "Every session connection begins at `from`",
                        "an old position: the stream begins exactly there",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        PositionChecks::old),
                new Check(
                        "default",
                        "5.2",
                        "by default at frame 1",
                        "no position: the stream begins at frame 1",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        PositionChecks::absent),
                new Check(
                        "screen",
                        "2.4",
                        "or the first frame if there is none",
                        "the position screen without a checkpoint: the stream begins at frame 1",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        (target, way) -> {
                            try (Session session = idle(target);
                                    Reader reader = way.open(
                                            session,
                                            OpenRequest.watcher(session).fromValue("screen"))) {
                                Transcript.from(1)
                                        .open(reader)
                                        .readDones(reader, 1)
                                        .requireOutput(WORK.output());
                            }
                        }),
                new Check(
                        "current",
                        "5.2",
                        "and then continues live",
                        "the newest position: only what comes now",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        (target, way) -> onlyNew(target, way, 1)),
                new Check(
                        "future",
                        "5.2",
                        "A `from` beyond the newest frame means: only new frames.",
                        "a position beyond the newest: only what comes now",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        (target, way) -> onlyNew(target, way, 1000)),
                new Check(
                        "bad-from",
                        "6",
                        "A field is missing, unknown, of the wrong type or out of range; the message names it.",
                        "from 0, negative, too large or no number: INVALID_FIELD",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        PositionChecks::badFrom),
                new Check(
                        "merged",
                        "5.2",
                        "It may resume at any frame, also in the middle of what came merged",
                        "merged text: fewer chunks, the same text from any frame on, each number once",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        PositionChecks::merged),
                new Check(
                        "bad-latency",
                        "5.2",
                        "The value is 0 (frames as they are, the default) to 1000; another one is `INVALID_FIELD`.",
                        "max_latency_ms negative, too large or no number: INVALID_FIELD",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        PositionChecks::badLatency),
                new Check(
                        "bad-id",
                        "4.3",
                        "any other is 400 `INVALID_FIELD`.",
                        "garbage as Last-Event-ID is refused",
                        SSE,
                        Needs.NOTHING,
                        PositionChecks::badId),
                new Check(
                        "foreign",
                        "2.2",
                        "A new stream begins at 1 in the epoch `epoch`.",
                        "a position of another epoch: gap epoch_changed, then frame 1",
                        SSE,
                        Needs.NOTHING,
                        (target, way) -> foreign(target, 7)),
                new Check(
                        "foreign-bound",
                        "1",
                        "Numbers are whole and at most 2^53 - 1",
                        "the highest position of another epoch: no number beyond the bound",
                        SSE,
                        Needs.NOTHING,
                        (target, way) -> foreign(target, Limits.SEQ_MAX)),
                new Check(
                        "query-id",
                        "4.3",
                        "The client resumes with the header `Last-Event-ID`, or with `?last_event_id=`; the header wins.",
                        "both ways to say a position, both at once, and neither",
                        SSE,
                        Needs.NOTHING,
                        PositionChecks::queryId),
                new Check(
                        "sse-head",
                        "4.3",
                        "`Brig-Resumed-From` is the position from which the stream really resumes",
                        "the head of the response as section 4.3 shows it",
                        SSE,
                        Needs.NOTHING,
                        PositionChecks::head),
                new Check(
                        "all-read",
                        "4.3",
                        "204 means that the stream has ended and the client has all of it",
                        "204 behind the last frame, that frame before it",
                        SSE,
                        Needs.NOTHING,
                        PositionChecks::allRead));
    }

    /** A session whose agent has finished a turn and waits. */
    private static Session idle(Target target) throws IOException {
        return idle(target, WORK);
    }

    private static Session idle(Target target, Workload work) throws IOException {
        Session session = target.spawn(work, false);
        try (Reader reader = StreamTransport.WEBSOCKET.open(session, OpenRequest.watcher(session))) {
            Transcript.fresh().open(reader).readDones(reader, 1);
        }
        return session;
    }

    private static OpenRequest watcher(Session session, long from) {
        return OpenRequest.watcher(session).from(from);
    }

    private static void cut(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target)) {
            long last = session.lastSeq();
            Transcript reference = Transcript.from(1);
            try (Reader reader = way.open(session, watcher(session, 1))) {
                reference.open(reader).readTo(reader, last);
            }
            boolean whole = false;
            for (long bytes = 1; !whole; bytes += target.scale().cutStepBytes()) {
                Transcript pieces = Transcript.from(1);
                try (Reader reader = way.open(session, watcher(session, 1).cutAfter(bytes))) {
                    whole = pieces.readOrCut(reader, () -> pieces.next() > last);
                }
                try (Reader reader = way.open(session, watcher(session, pieces.next()))) {
                    pieces.open(reader).readTo(reader, last);
                }
                Violation.require(
                        pieces.hashes().equals(reference.hashes()),
                        "cut behind byte " + bytes + " and resumed, the frames were not the same");
            }
        }
    }

    private static void old(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target)) {
            long last = session.lastSeq();
            for (long from : new long[] {1, 2, last / 2, last}) {
                try (Reader reader = way.open(session, watcher(session, from))) {
                    Transcript.from(from).open(reader).readTo(reader, last).requireNoGap();
                }
            }
        }
    }

    private static void absent(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target);
                Reader reader = way.open(session, OpenRequest.watcher(session))) {
            Transcript.from(1).open(reader).readDones(reader, 1).requireOutput(WORK.output());
        }
    }

    private static void onlyNew(Target target, StreamTransport way, long beyond) throws IOException {
        Workload more = Workload.lines(3).from(700_000);
        try (Session session = idle(target);
                Reader captain = StreamTransport.WEBSOCKET.open(
                        session, OpenRequest.captain(session).from(Limits.SEQ_MAX))) {
            long last = session.lastSeq();
            try (Reader reader = way.open(session, watcher(session, last + beyond))) {
                Transcript fresh = Transcript.from(last + 1).open(reader);
                StreamTransport.WEBSOCKET.send(captain, session, more);
                fresh.readDones(reader, 1).requireOutput(more.output());
            }
        }
    }

    private static void badFrom(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target)) {
            List<?> values = way == StreamTransport.WEBSOCKET
                    ? List.of("0", "-1", "9007199254740992", "x", "1.5", "")
                    : List.of(0, -1, 9007199254740992L, "7", 1.5, true, List.of());
            for (Object value : values) {
                try (Reader reader =
                        way.open(session, OpenRequest.watcher(session).fromValue(value))) {
                    Violation.requireEqual("INVALID_FIELD", reader.refusal(), "the answer to from " + value);
                }
            }
        }
    }

    private static void merged(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target, APART)) {
            long last = session.lastSeq();
            for (long from : new long[] {1, 2, 3, last / 2, last - 1, last}) {
                Transcript plain = readTo(way, session, watcher(session, from), from, last);
                Transcript zero = readTo(way, session, watcher(session, from).merged(0), from, last);
                Transcript merged = readTo(way, session, watcher(session, from).merged(1000), from, last);
                Violation.require(plain.hashes().equals(zero.hashes()), "with 0 the frames are others");
                Violation.requireEqual(
                        plain.text().toString(), merged.text().toString(), "the merged text from frame " + from);
                Violation.requireEqual(last + 1, merged.next(), "the number behind it");
                Violation.require(
                        from > 1 || merged.hashes().size() < plain.hashes().size(), "nothing was merged");
            }
        }
    }

    private static Transcript readTo(StreamTransport way, Session session, OpenRequest opening, long from, long last)
            throws IOException {
        try (Reader reader = way.open(session, opening)) {
            return Transcript.from(from).open(reader).readTo(reader, last);
        }
    }

    private static void badLatency(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target)) {
            boolean isQuery = way == StreamTransport.WEBSOCKET || way == StreamTransport.SSE;
            for (Object value : isQuery ? List.of("-1", "1001", "x", "1.5", "") : List.of(-1, 1001, "50", 1.5, true)) {
                try (Reader reader =
                        way.open(session, OpenRequest.watcher(session).merged(value))) {
                    Violation.requireEqual("INVALID_FIELD", reader.refusal(), "the answer to " + value);
                }
            }
        }
    }

    /** With the position in the header and in the query; null leaves it out. */
    private static EventReader events(Session session, @Nullable String header, @Nullable String query)
            throws IOException {
        Map<String, String> headers = session.target().headers(session.watcherToken());
        if (header != null) {
            headers.put("Last-Event-ID", header);
        }
        return StreamTransport.events(
                session, query == null ? "" : "?last_event_id=" + query, headers, OpenRequest.watcher(session));
    }

    private static void badId(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target)) {
            String epoch = session.view().text("epoch", "");
            for (String id : List.of(
                    "7",
                    "x",
                    "0",
                    "-1",
                    epoch,
                    epoch + "-",
                    epoch + "--1",
                    epoch + "-x",
                    "EARLIEST",
                    epoch + "-1-2",
                    epoch + "-99999999999999999999")) {
                try (EventReader reader = events(session, id, null)) {
                    Violation.requireEqual(400, reader.head().status(), "the answer to the position " + id);
                    Violation.requireEqual("INVALID_FIELD", reader.refusal(), "the answer to the position " + id);
                }
            }
        }
    }

    private static void foreign(Target target, long seq) throws IOException {
        try (Session session = idle(target);
                EventReader reader = events(session, "zzzzzzzz-" + seq, null)) {
            if (seq == Limits.SEQ_MAX && reader.head().status() == 400) {
                Violation.requireEqual("INVALID_FIELD", reader.refusal(), "the refusal");
                return;
            }
            Transcript transcript = Transcript.from(1).open(reader);
            Event event = reader.next();
            Violation.require(event instanceof Event.Gap, "the first event is no gap but " + event);
            Event.Gap gap = (Event.Gap) event;
            Violation.requireEqual("epoch_changed", gap.reason(), "the reason of the gap");
            Violation.requireEqual(transcript.epoch(), gap.fields().text("epoch", ""), "the epoch in the gap");
            Violation.require(gap.to() >= gap.from(), "the gap ends before it begins");
            transcript.readDones(reader, 1).requireOutput(WORK.output());
        }
    }

    private static void queryId(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target)) {
            String epoch = session.view().text("epoch", "");
            requireBegin(2, session, epoch + "-1", null);
            requireBegin(3, session, null, epoch + "-2");
            requireBegin(4, session, epoch + "-3", epoch + "-1");
            requireBegin(1, session, "earliest", epoch + "-1");
            requireBegin(1, session, null, "earliest");
            requireBegin(1, session, epoch + "-0", null);
            requireBegin(1, session, "", "");
            requireBegin(2, session, "", epoch + "-1");
        }
    }

    private static void requireBegin(long from, Session session, @Nullable String header, @Nullable String query)
            throws IOException {
        try (EventReader reader = events(session, header, query)) {
            Transcript.from(from).open(reader).readTo(reader, from);
        }
    }

    private static void head(Target target, StreamTransport way) throws IOException {
        try (Session session = idle(target);
                EventReader reader = events(session, null, null)) {
            String epoch = session.view().text("epoch", "");
            Violation.requireEqual(epoch + "-0", reader.head().header("brig-resumed-from"), "Brig-Resumed-From");
            Violation.requireEqual("no-cache, no-transform", reader.head().header("cache-control"), "Cache-Control");
            Violation.requireEqual("no", reader.head().header("x-accel-buffering"), "X-Accel-Buffering");
        }
    }

    private static void allRead(Target target, StreamTransport way) throws IOException, InterruptedException {
        try (Session session = target.spawn(WORK, true)) {
            session.awaitEnd();
            String epoch = session.view().text("epoch", "");
            long last = session.lastSeq();
            try (EventReader reader = events(session, epoch + "-" + last, null)) {
                Violation.requireEqual(204, reader.head().status(), "the answer to one who has all");
            }
            try (EventReader reader = events(session, epoch + "-" + (last - 1), null)) {
                Transcript.from(last).open(reader).readToEnd(reader);
            }
        }
    }
}
