package brig.loadtests.conformance;

import brig.loadtests.client.Event;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.SocketReader;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.loadtests.client.Workload;
import brig.loadtests.conformance.Check.Needs;
import java.io.IOException;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Slow readers, and frames that are no longer in memory, or lost. */
final class SlowChecks {
    private static final int RESUMES_MAX = 3;

    private SlowChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "stall",
                        "5.1",
                        "it never pauses the worker. A slow one lags, reads from the record, and is told of every gap.",
                        "a watcher that stops: the worker ends, and everything or an exact gap comes later",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        SlowChecks::stall),
                new Check(
                        "tethered",
                        "5.1",
                        "a slow one pauses the worker and misses nothing",
                        "a captain that stops: the worker waits, and all of it comes later",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        SlowChecks::tethered),
                new Check(
                        "throttled",
                        "2.2",
                        "While the worker is paused, every subscriber is told so as soon as it can take the message.",
                        "a captain that stops: a watcher learns that the worker waits, and then that it goes on",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        SlowChecks::throttled),
                new Check(
                        "slow-cut",
                        "5.1",
                        "with `epoch` and `from`: the first frame that was not sent, at which to resume",
                        "a reader that takes nothing, and then all: whole frames, the reason, the end; it resumes",
                        StreamTransport.ALL,
                        Needs.OWN_SERVER,
                        SlowChecks::slowCut),
                new Check(
                        "replay",
                        "5.3",
                        "None is left out silently",
                        "out of memory but on disk: everything, without a gap",
                        StreamTransport.ALL,
                        Needs.OWN_SERVER,
                        SlowChecks::replay),
                new Check(
                        "evicted",
                        "2.2",
                        "Frames `from` to `to`, both included, will not come on this connection.",
                        "gone from disk too: a gap evicted with exact bounds, then the rest",
                        StreamTransport.ALL,
                        Needs.OWN_SERVER,
                        SlowChecks::evicted),
                new Check(
                        "record-lost",
                        "2.2",
                        "The frames could not be written, or something other than Brig deleted them.",
                        "gone from disk though nothing deleted it: a gap record_lost, then the rest",
                        StreamTransport.ALL,
                        Needs.OWN_SERVER,
                        SlowChecks::recordLost));
    }

    private static void stall(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload flood = Workload.flood(target.scale().floodBytes());
        try (Session session = target.spawn(flood, true);
                Reader reader = way.open(session, OpenRequest.watcher(session).narrow())) {
            Transcript all = Transcript.fresh().open(reader).readTo(reader, 2);
            session.awaitEnd();
            requireEnd(all.readResuming(way, session, reader, RESUMES_MAX), flood);
        }
    }

    /** {@code done} and {@code state terminated} are the last two frames; the frames before them are complete. */
    private static void requireEnd(Transcript all, Workload work) {
        all.requireTail(work.output());
        Violation.require(all.field(all.next() - 2, "type").equals("done"), "done is not the last frame but one");
    }

    private static void tethered(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload flood = Workload.flood(target.scale().floodBytes());
        try (Session session = target.spawn(null, false);
                Reader captain = way.open(session, OpenRequest.captain(session).narrow())) {
            Transcript all = Transcript.fresh().open(captain);
            way.send(captain, session, flood);
            all.readTo(captain, 2);
            long held = session.awaitStandstill();
            all.readDones(captain, 1).requireOutput(flood.output());
            Violation.require(all.next() - 1 > held, "the worker wrote all while its captain did not read");
        }
    }

    private static void throttled(Target target, StreamTransport way) throws IOException {
        Workload flood = Workload.flood(target.scale().floodBytes());
        try (Session session = target.spawn(null, false);
                Reader captain = StreamTransport.UNIX.open(
                        session, OpenRequest.captain(session).narrow());
                Reader watcher = way.open(session, OpenRequest.watcher(session))) {
            Transcript held = Transcript.fresh().open(captain);
            Transcript all = Transcript.fresh().open(watcher);
            StreamTransport.UNIX.send(captain, session, flood);
            all.read(watcher, () -> all.state().equals("throttled"));
            held.readDones(captain, 1);
            all.read(watcher, () -> all.state().equals("running"));
        }
    }

    private static void slowCut(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload flood = Workload.flood(target.scale().floodBytes());
        try (Target.Limited hasty = LimitChecks.limited(
                        target, "slowReaderMs", target.scale().slowReaderMs());
                Session session = hasty.target().spawn(flood, true);
                Reader reader = way.open(session, OpenRequest.watcher(session).narrow())) {
            Transcript all = Transcript.fresh().open(reader).readTo(reader, 2);
            session.awaitEnd();
            session.await(
                    "the reader that takes nothing is cut", () -> session.view().number("readers", 0) == 0);
            Violation.require(!all.readOrCut(reader, all::terminated), "the connection was not closed");
            requireLastWord(all, way, session, reader);
            try (Reader again = way.open(session, OpenRequest.watcher(session).from(all.next()))) {
                requireEnd(all.open(again).readToEnd(again), flood);
            }
        }
    }

    /** The last notice before the end names the reason, and the position of the client. */
    private static void requireLastWord(Transcript all, StreamTransport way, Session session, Reader reader)
            throws IOException {
        all.requireLastWord("SLOW_READER");
        if (reader instanceof SocketReader socket) {
            Violation.requireEqual(
                    way == StreamTransport.MANY ? session.id() : "", socket.session(), "the session of the last word");
        }
        Event.End end = reader.end();
        Violation.require(end.orderly(), "the connection was cut behind the last word and not closed");
        Violation.requireEqual(
                Set.of(StreamTransport.WEBSOCKET, StreamTransport.MANY).contains(way) ? 4000 : 0,
                end.code(),
                "the close code");
    }

    private static void replay(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload work = Workload.bytes(target.scale().replayBytes());
        try (Session session = target.spawn(work, true)) {
            session.awaitEnd();
            try (Reader reader = way.open(session, OpenRequest.watcher(session))) {
                Transcript all = Transcript.from(1).open(reader).readToEnd(reader);
                all.requireNoGap();
                requireEnd(all, work);
            }
        }
    }

    private static void evicted(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload work = Workload.bytes(target.scale().evictBytes());
        try (Session session = target.spawn(work, true)) {
            session.awaitEnd();
            long oldest = oldest(session);
            Violation.require(oldest > 3, "nothing was evicted: the oldest frame is " + oldest);
            for (long from : new long[] {0, 1, 2, oldest - 1}) {
                OpenRequest opening = OpenRequest.watcher(session);
                // Frames that were sent may still be on their way to the disk, and push out others when they get there.
                long before = oldest(session);
                try (Reader reader = way.open(session, from == 0 ? opening : opening.from(from))) {
                    Transcript all =
                            Transcript.from(Math.max(from, 1)).open(reader).readToEnd(reader);
                    Violation.requireEqual(1, all.gaps().size(), "the number of gaps from " + from + " on");
                    Violation.requireEqual("evicted", all.gaps().getFirst().reason(), "the reason of the gap");
                    long to = all.gaps().getFirst().to();
                    long after = oldestFrom(session, before);
                    Violation.requireEqual(Math.clamp(to, before - 1, after - 1), to, "the end of the gap");
                    requireEnd(all, work);
                }
            }
            readFromOldest(session, way).requireNoGap();
        }
    }

    /** A reading from the oldest frame on, during which it stayed the oldest. */
    private static Transcript readFromOldest(Session session, StreamTransport way)
            throws IOException, InterruptedException {
        while (true) {
            long oldest = oldest(session);
            try (Reader reader = way.open(session, OpenRequest.watcher(session).from(oldest))) {
                Transcript all = Transcript.from(oldest).open(reader).readToEnd(reader);
                if (oldestFrom(session, oldest) == oldest) {
                    return all;
                }
            }
        }
    }

    private static void recordLost(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload work = Workload.bytes(target.scale().replayBytes());
        try (Session session = target.spawn(work, false)) {
            Transcript before = Transcript.fresh();
            try (Reader reader = way.open(session, OpenRequest.watcher(session))) {
                before.open(reader).readDones(reader, 1);
            }
            Objects.requireNonNull(target.control()).loseRecord(session.id());
            try (Reader reader = way.open(session, OpenRequest.watcher(session))) {
                Transcript after = Transcript.fresh().open(reader).readTo(reader, before.next() - 1);
                Violation.requireEqual(1, after.gaps().size(), "the number of gaps");
                Violation.requireEqual("record_lost", after.gaps().getFirst().reason(), "the reason of the gap");
                after.requireTail(work.output());
                Violation.requireEqual(1, after.dones(), "the number of dones behind the gap");
            }
        }
    }

    private static long oldest(Session session) throws IOException {
        return session.view().number("first_seq", 0);
    }

    /** The oldest frame, which was {@code before} earlier. @throws Violation if a deleted frame is said to be back */
    private static long oldestFrom(Session session, long before) throws IOException {
        long oldest = oldest(session);
        Violation.require(oldest >= before, "first_seq went back from " + before + " to " + oldest);
        return oldest;
    }
}
