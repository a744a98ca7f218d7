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
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.Frame;
import brig.protocol.frame.MultiplexLine;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** A stream read from its beginning to its end. */
final class StreamChecks {
    private static final Workload PACED = new Workload(1, 25, 4, 20, "0.01");

    private StreamChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "order",
                        "5.3",
                        "Frames come in the order of `seq`, each at most once on a connection.",
                        "all frames in order, each once, and the agent's output whole",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        StreamChecks::order),
                new Check(
                        "welcome",
                        "2.2",
                        "The connection may read, and a captain's may also write.",
                        "authenticated comes first, with all its fields",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        StreamChecks::welcome),
                new Check(
                        "same-frames",
                        "2.1",
                        "All subscribers of a stream see the same frames with the same numbers.",
                        "the same frames as a reader on another way in",
                        EnumSet.complementOf(EnumSet.of(StreamTransport.WEBSOCKET)),
                        Needs.NOTHING,
                        StreamChecks::sameFrames),
                new Check(
                        "seam",
                        "5.2",
                        "no frame between the two is lost or repeated",
                        "readers that come while the agent writes have all of it",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        StreamChecks::seam),
                new Check(
                        "frame-bound",
                        "1",
                        "a frame has at most 65 536 bytes",
                        "long lines of the agent come in frames of at most 64 KiB",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        StreamChecks::frameBound),
                new Check(
                        "done",
                        "3",
                        "A user message is one task for the agent, and is answered by frames up to `done`.",
                        "three messages, three times done, in order",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        StreamChecks::dones),
                new Check(
                        "cancel",
                        "3",
                        "`cancel` interrupts the current message; its `done` still comes.",
                        "a cancelled message has its done, and the next one runs",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        StreamChecks::cancel),
                new Check(
                        "terminate",
                        "3",
                        "`terminate` ends the session.",
                        "state terminated, reason requested",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        StreamChecks::terminate),
                new Check(
                        "end",
                        "5.4",
                        "After it Brig closes Unix connections and SSE responses, and WebSockets with 1000",
                        "nothing behind state terminated but the end of the connection",
                        Set.of(StreamTransport.UNIX, StreamTransport.WEBSOCKET, StreamTransport.SSE),
                        Needs.NOTHING,
                        StreamChecks::end),
                new Check(
                        "end",
                        "5.4",
                        "on `/api/v1/ws` only the subscription ends",
                        "nothing behind state terminated, and the connection stays",
                        Set.of(StreamTransport.MANY),
                        Needs.NOTHING,
                        StreamChecks::end),
                new Check(
                        "ended",
                        "5.4",
                        "A stream that has ended can be read as long as its record is kept.",
                        "an ended stream is read whole",
                        StreamTransport.ALL,
                        Needs.NOTHING,
                        StreamChecks::ended),
                new Check(
                        "apart",
                        "4.4",
                        "all other lines of that message belong to that session",
                        "two streams on one connection are kept apart",
                        Set.of(StreamTransport.MANY),
                        Needs.NOTHING,
                        StreamChecks::apart),
                new Check(
                        "unsubscribe",
                        "4.4",
                        "Frames that were already on their way may still come after `unsubscribe`.",
                        "no frame once it is carried out, no word taken, and it may subscribe again",
                        Set.of(StreamTransport.MANY),
                        Needs.NOTHING,
                        StreamChecks::unsubscribe));
    }

    private static void order(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(PACED, true);
                Reader reader = way.open(session, OpenRequest.watcher(session))) {
            Transcript all = Transcript.fresh().open(reader).readToEnd(reader);
            all.requireOutput(PACED.output());
            Violation.requireEqual(1, all.dones(), "the number of done frames");
            Violation.requireEqual("running", all.field(1, "state"), "the state in frame 1");
            Violation.requireEqual("completed", all.field(all.next() - 1, "reason"), "the reason of the end");
        }
    }

    private static void welcome(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false)) {
            for (String role : List.of("captain", "watcher")) {
                OpenRequest opening =
                        role.equals("captain") ? OpenRequest.captain(session) : OpenRequest.watcher(session);
                try (Reader reader = way.open(session, opening)) {
                    Event first = reader.next();
                    Violation.require(first instanceof Event.Welcome, "the first thing said is " + first);
                    JsonObject fields = ((Event.Welcome) first).fields();
                    Violation.requireEqual(session.id(), fields.text("spawn_id", ""), "spawn_id");
                    Violation.requireEqual(role, fields.text("role", ""), "role");
                    Violation.require(fields.has("task_id") && fields.has("state"), "task_id or state is missing");
                }
            }
        }
    }

    private static void sameFrames(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(PACED, true);
                Reader one = StreamTransport.WEBSOCKET.open(session, OpenRequest.watcher(session));
                Reader other = way.open(session, OpenRequest.watcher(session))) {
            Transcript expected = Transcript.fresh().open(one).readToEnd(one);
            Transcript actual = Transcript.fresh().open(other).readToEnd(other);
            Violation.require(expected.hashes().equals(actual.hashes()), "two readers saw different frames");
            Violation.requireEqual(expected.epoch(), actual.epoch(), "the epoch");
        }
    }

    private static void seam(Target target, StreamTransport way) throws IOException {
        List<Reader> readers = new ArrayList<>();
        List<Transcript> transcripts = new ArrayList<>();
        try (Session session = target.spawn(PACED, true)) {
            for (int i = 0; i < 5; i++) {
                Reader reader = way.open(session, OpenRequest.watcher(session));
                readers.add(reader);
                transcripts.add(Transcript.fresh().open(reader).readTo(reader, 4L * i + 1));
            }
            for (int i = 0; i < readers.size(); i++) {
                transcripts.get(i).readToEnd(readers.get(i)).requireOutput(PACED.output());
            }
        } finally {
            for (Reader reader : readers) {
                reader.close();
            }
        }
    }

    private static void frameBound(Target target, StreamTransport way) throws IOException {
        Workload wide = new Workload(1, 1, 1, 70_000, "0");
        try (Session session = target.spawn(wide, true);
                Reader reader = way.open(session, OpenRequest.watcher(session))) {
            Transcript.fresh().open(reader).readToEnd(reader).requireOutput(wide.output());
        }
    }

    private static void dones(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Reader captain = way.open(session, OpenRequest.captain(session))) {
            Transcript all = Transcript.fresh().open(captain);
            StringBuilder expected = new StringBuilder();
            for (int i = 0; i < 3; i++) {
                Workload work = Workload.lines(3).from(100 * i + 1);
                way.send(captain, session, work);
                expected.append(work.output());
            }
            all.readDones(captain, 3).requireOutput(expected.toString());
            Violation.require(
                    all.frames(Frame.Done.class).stream().allMatch(done -> done.exitCode() == 0),
                    "a done has another exit_code than 0");
        }
    }

    private static void cancel(Target target, StreamTransport way) throws IOException {
        Workload next = Workload.lines(2).from(500_000);
        try (Session session = target.spawn(null, false);
                Reader captain = way.open(session, OpenRequest.captain(session))) {
            Transcript all = Transcript.fresh().open(captain);
            way.send(captain, session, new Workload(1, 1000, 1, 20, "0.2"));
            all.read(captain, () -> all.text().length() > 0);
            way.cancel(captain, session);
            all.readDones(captain, 1);
            Violation.requireEqual("cancelled", all.field(all.next() - 1, "reason"), "the reason in done");
            way.send(captain, session, next);
            all.readDones(captain, 2);
            Violation.require(all.text().toString().endsWith(next.output()), "the next message was not worked off");
        }
    }

    private static void terminate(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Reader captain = way.open(session, OpenRequest.captain(session))) {
            Transcript all = Transcript.fresh().open(captain);
            way.terminate(captain, session);
            all.readToEnd(captain);
            Violation.requireEqual("requested", all.field(all.next() - 1, "reason"), "the reason of the end");
        }
    }

    private static void end(Target target, StreamTransport way) throws IOException {
        Workload work = Workload.lines(5);
        try (Session session = target.spawn(work, true);
                Reader reader = way.open(session, OpenRequest.captain(session))) {
            Transcript.fresh().open(reader).readToEnd(reader);
            if (way == StreamTransport.MANY) {
                reader.say(new CaptainLine.Ping());
                Event event = reader.next();
                Violation.require(event instanceof Event.Note note && note.isPong(), "instead of pong came " + event);
                readAnother(target, reader, work);
                return;
            }
            Event event = reader.next();
            Violation.require(event instanceof Event.End, "behind state terminated came " + event);
            Event.End end = (Event.End) event;
            Violation.require(end.orderly(), "the connection was cut and not ended");
            Violation.requireEqual(way == StreamTransport.WEBSOCKET ? 1000 : 0, end.code(), "the close code");
        }
    }

    /** A connection that is about to close may answer a ping, but does not carry another session to its end. */
    private static void readAnother(Target target, Reader reader, Workload work) throws IOException {
        try (Session another = target.spawn(work, true)) {
            reader.say(StreamTransport.subscribe(another, OpenRequest.captain(another)));
            Transcript.fresh().open(reader).readToEnd(reader).requireOutput(work.output());
        }
    }

    private static void ended(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload work = Workload.lines(50);
        try (Session session = target.spawn(work, true)) {
            session.awaitEnd();
            try (Reader reader = way.open(session, OpenRequest.watcher(session))) {
                Transcript.fresh().open(reader).readToEnd(reader).requireOutput(work.output());
            }
        }
    }

    private static void unsubscribe(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload more = Workload.lines(3);
        try (Session session = target.spawn(null, false);
                Reader other = StreamTransport.WEBSOCKET.open(session, OpenRequest.captain(session));
                Reader reader = way.open(session, OpenRequest.captain(session))) {
            Transcript all = Transcript.fresh().open(other);
            Transcript left = Transcript.fresh().open(reader).readTo(reader, 1);
            reader.say(new MultiplexLine.Unsubscribe(session.id()));
            session.await("it is no reader", () -> session.view().number("readers", 0) == 1);
            StreamTransport.WEBSOCKET.send(other, session, more);
            all.readDones(other, 1);
            way.send(reader, session, more);
            Event refusal = reader.next();
            Violation.require(
                    refusal instanceof Event.Note note && note.code().equals("UNAUTHENTICATED"),
                    "a message behind unsubscribe was answered by " + refusal);
            reader.say(StreamTransport.subscribe(
                    session, OpenRequest.captain(session).from(left.next())));
            left.open(reader).readDones(reader, 1).requireOutput(more.output());
        }
    }

    private static void apart(Target target, StreamTransport way) throws IOException {
        Workload left = PACED.from(100_000);
        Workload right = PACED.from(200_000);
        try (Session one = target.spawn(left, true);
                Session two = target.spawn(right, true);
                SocketReader reader = StreamTransport.many(target, "", OpenRequest.watcher(one))) {
            reader.say(StreamTransport.subscribe(one, OpenRequest.watcher(one)));
            reader.say(StreamTransport.subscribe(two, OpenRequest.watcher(two)));
            Transcript first = Transcript.fresh();
            Transcript second = Transcript.fresh();
            while (!first.terminated() || !second.terminated()) {
                Event event = reader.next();
                Violation.require(
                        reader.session().equals(one.id()) || reader.session().equals(two.id()),
                        "a message names neither session, but '" + reader.session() + "': " + event);
                (reader.session().equals(one.id()) ? first : second).accept(event);
            }
            first.requireOutput(left.output());
            second.requireOutput(right.output());
        }
    }
}
