package brig.loadtests.conformance;

import brig.loadtests.client.Event;
import brig.loadtests.client.EventReader;
import brig.loadtests.client.Http;
import brig.loadtests.client.LineReader;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Transcript;
import brig.loadtests.client.Violation;
import brig.loadtests.client.Wire;
import brig.loadtests.client.Workload;
import brig.loadtests.conformance.Check.Needs;
import brig.protocol.api.SpawnerRequest;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** The rights of admitted clients, and interfaces that need no token or admit nobody. */
final class AccessChecks {
    private static final Set<StreamTransport> SSE = Set.of(StreamTransport.SSE);

    private AccessChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "watcher",
                        "3",
                        "A watcher may send `auth` and `ping`, an approver also `answer_ask`; anything else is `FORBIDDEN`.",
                        "a watcher's message and terminate are refused, its ping is answered",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        AccessChecks::watcher),
                new Check(
                        "role",
                        "4.4",
                        "`role` asks for less than the token allows",
                        "a captain that asks to watch: it is a watcher, and may no more",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        AccessChecks::role),
                new Check(
                        "attach",
                        "4.1",
                        "Turns this connection into a session connection (sections 2 and 3), without a token.",
                        "attach on the spawner socket: the stream from the frame asked for",
                        Set.of(StreamTransport.UNIX),
                        Needs.OWN_SERVER,
                        AccessChecks::attach),
                new Check(
                        "http-unix",
                        "4.3",
                        "on a Unix socket where the peer's uid replaces the token",
                        "a view and a stream over HTTP on the Unix socket, without a token",
                        SSE,
                        Needs.OWN_SERVER,
                        AccessChecks::httpUnix),
                new Check(
                        "host",
                        "4.3",
                        "A `Host` other than `localhost`, `127.0.0.1`, `[::1]` or one that the operator listed is refused",
                        "another Host, and a foreign Origin: 403 FORBIDDEN",
                        SSE,
                        Needs.NOTHING,
                        AccessChecks::host),
                new Check(
                        "heartbeat",
                        "4.3",
                        "A comment comes at least every 15 s.",
                        "a quiet stream: a comment in time",
                        SSE,
                        Needs.TIME,
                        AccessChecks::heartbeat));
    }

    private static void watcher(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Reader reader = way.open(session, OpenRequest.watcher(session))) {
            Transcript.fresh().open(reader);
            way.send(reader, session, Workload.lines(1));
            Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to a watcher's message");
            way.terminate(reader, session);
            Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to a watcher's terminate");
            reader.say(new CaptainLine.Ping());
            Violation.require(reader.answer() instanceof Event.Note pong && pong.isPong(), "no pong came");
            Violation.requireEqual("running", session.view().text("state", ""), "the state of the spawn");
        }
    }

    private static void role(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Reader reader = way.watching(session)) {
            Event first = reader.next();
            Violation.require(
                    first instanceof Event.Welcome welcome
                            && welcome.fields().text("role", "").equals("watcher"),
                    "the role asked for is not in " + first);
            way.terminate(reader, session);
            Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to a watcher's terminate");
        }
    }

    private static Wire connect(Target target, Path socket) throws IOException {
        return new Wire(UnixDomainSocketAddress.of(socket), target.scale().patienceMs(), 0);
    }

    private static void attach(Target target, StreamTransport way) throws IOException, InterruptedException {
        Workload work = Workload.lines(20);
        try (Session session = target.spawn(work, false);
                Reader reader = new LineReader(connect(target, control(target).spawnerSocket()))) {
            session.await("frame 2 is there", () -> session.lastSeq() > 1);
            AttachOptions options = new AttachOptions(2, null, false, null, null, 0);
            reader.say(new SpawnerRequest.Attach(session.id(), options));
            Transcript all = Transcript.from(2).open(reader).readDones(reader, 1);
            all.requireOutput(work.output());
            reader.say(new CaptainLine.Terminate());
            all.readToEnd(reader);
        }
    }

    private static void httpUnix(Target target, StreamTransport way) throws IOException {
        Workload work = Workload.lines(20);
        Map<String, String> headers = Map.of("Host", "localhost");
        try (Session session = target.spawn(work, true)) {
            try (Wire wire = connect(target, control(target).httpSocket())) {
                Http.send(wire, "GET /api/v1/spawns/" + session.id(), headers, "");
                Http.Answer answer = Http.answer(wire, Http.head(wire));
                Violation.requireEqual(200, answer.status(), "the answer for a view without a token");
                Violation.requireEqual(session.id(), answer.body().text("spawn_id", ""), "spawn_id");
            }
            Wire wire = connect(target, control(target).httpSocket());
            Http.send(wire, "GET /api/v1/sessions/" + session.id() + "/stream", headers, "");
            try (Reader reader = new EventReader(wire, Long.MAX_VALUE)) {
                Transcript.fresh().open(reader).readToEnd(reader).requireOutput(work.output());
            }
        }
    }

    private static Target.Control control(Target target) {
        return Objects.requireNonNull(target.control());
    }

    private static void host(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false)) {
            for (Map.Entry<String, String> header : Map.of("Host", "evil.example", "Origin", "https://evil.example")
                    .entrySet()) {
                Map<String, String> headers = target.headers(session.watcherToken());
                headers.put(header.getKey(), header.getValue());
                try (EventReader reader = StreamTransport.events(session, "", headers, OpenRequest.watcher(session))) {
                    Violation.requireEqual(403, reader.head().status(), "the answer to " + header);
                    Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to " + header);
                }
            }
        }
    }

    private static void heartbeat(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Reader reader = way.open(session, OpenRequest.watcher(session))) {
            Transcript.fresh().open(reader).readTo(reader, 1);
            for (int beat = 0; beat < 2; beat++) {
                long start = System.nanoTime();
                Event event = reader.next();
                long tookMs = (System.nanoTime() - start) / 1_000_000;
                Violation.require(event instanceof Event.Comment, "on a quiet stream came " + event);
                Violation.require(
                        tookMs < target.scale().heartbeatMs() * 11 / 10 + 500,
                        "a comment came after " + tookMs + " ms");
            }
        }
    }
}
