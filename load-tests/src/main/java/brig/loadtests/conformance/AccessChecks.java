package brig.loadtests.conformance;

import brig.loadtests.conformance.Check.Needs;
import brig.protocol.Ids;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/** Who comes in, who does not, and what they are told. */
final class AccessChecks {
    private static final Set<Way> SSE = Set.of(Way.SSE);
    private static final Set<Way> WAITING = Set.of(Way.UNIX, Way.WEBSOCKET);
    private static final int UNAUTHENTICATED = 4520;
    private static final int MISSING = 4523;

    private AccessChecks() {}

    static List<Check> all() {
        return List.of(
                new Check("wrong-token", "3", "A wrong token closes it, `UNAUTHENTICATED`",
                        "a wrong token: UNAUTHENTICATED, closed (4520 on a WebSocket)", WAITING, Needs.NOTHING,
                        AccessChecks::wrongToken),
                new Check("wrong-token", "4.4", "Without either, each `subscribe` brings the token of its spawn.",
                        "a wrong token: no subscription, UNAUTHENTICATED with the id", Set.of(Way.MANY), Needs.NOTHING,
                        AccessChecks::wrongSubscription),
                new Check("wrong-token", "4.3", "none and one that is not of this spawn are 401",
                        "no token, wrong ones, and another session's: 401", SSE, Needs.NOTHING,
                        AccessChecks::wrongBearer),
                new Check("wrong-token", "4.3", "The token comes as `Authorization: Bearer` with the upgrade",
                        "a wrong token with the upgrade: 401", Set.of(Way.WEBSOCKET), Needs.NOTHING,
                        AccessChecks::wrongUpgrade),
                new Check("auth-first", "3", "`auth` MUST be the first line of every connection that was not authenticated on its way in",
                        "anything before auth closes, with the code of section 6", WAITING, Needs.NOTHING,
                        AccessChecks::authFirst),
                new Check("auth-timeout", "3", "after 10 s without it the connection is closed, `AUTH_TIMEOUT`",
                        "silence closes after the time, with a word (4522 on a WebSocket)", WAITING, Needs.TIME,
                        AccessChecks::authTimeout),
                new Check("watcher", "3", "A watcher may send `auth` and `ping`; anything else is `FORBIDDEN`.",
                        "a watcher's message and terminate are refused, its ping is answered", Way.SPEAKING, Needs.NOTHING,
                        AccessChecks::watcher),
                new Check("role", "4.4", "`role` asks for less than the token allows",
                        "a captain that asks to watch: it is a watcher, and may no more", Way.SPEAKING, Needs.NOTHING,
                        AccessChecks::role),
                new Check("readers-max", "6", "Too many readers of this stream.",
                        "one reader more than the limit: MAX_SUBSCRIPTIONS, until another has gone", Way.ALL,
                        Needs.OWN_SERVER, AccessChecks::readersMax),
                new Check("attach", "4.1", "Turns this connection into a session connection (sections 2 and 3), without a token.",
                        "attach on the spawner socket: the stream from the frame asked for", Set.of(Way.UNIX),
                        Needs.OWN_SERVER, AccessChecks::attach),
                new Check("http-unix", "4.3", "on a Unix socket where the peer's uid replaces the token",
                        "a view and a stream over HTTP on the Unix socket, without a token", SSE, Needs.OWN_SERVER,
                        AccessChecks::httpUnix),
                new Check("host", "4.3", "A `Host` other than `localhost`, `127.0.0.1`, `[::1]` or one that the operator listed is refused",
                        "another Host, and a foreign Origin: 403 FORBIDDEN", SSE, Needs.NOTHING, AccessChecks::host),
                new Check("heartbeat", "4.3", "A comment comes at least every 15 s.",
                        "a quiet stream: a comment in time", SSE, Needs.TIME, AccessChecks::heartbeat));
    }

    private static List<String> wrong(Session session, Session other) {
        String own = session.captainToken();
        char changed = own.charAt(10) == 'a' ? 'b' : 'a';
        return List.of(Ids.newToken(), "short", own + "a", own.substring(0, 10) + changed + own.substring(11),
                other.captainToken(), other.watcherToken());
    }

    private static void wrongToken(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Session other = target.spawn(null, false)) {
            for (String token : wrong(session, other)) {
                requireClosed(session, way, "{\"auth\":\"" + token + "\"}", "UNAUTHENTICATED", UNAUTHENTICATED);
            }
        }
    }

    /** The connection's first line is refused, and then the connection is closed. */
    private static void requireClosed(Session session, Way way, String line, String code, int closeCode) throws IOException {
        try (Reader reader = waiting(session, way)) {
            reader.say(line);
            requireClosed(reader, way, code, closeCode);
        }
    }

    private static void requireClosed(Reader reader, Way way, String code, int closeCode) throws IOException {
        Violation.requireEqual(code, reader.refusal(), "the refusal");
        Event event = reader.next();
        Violation.require(event instanceof Event.End, "behind the refusal came " + event);
        if (way == Way.WEBSOCKET) {
            Violation.requireEqual(closeCode, ((Event.End) event).code(), "the close code");
            Violation.requireEqual(code, ((Event.End) event).reason(), "the close reason");
        }
    }

    /** A connection that has not said who it is. */
    private static Reader waiting(Session session, Way way) throws IOException {
        return way == Way.UNIX ? Way.unix(session, Opening.captain(session))
                : Way.socket(session, "", "", Opening.captain(session));
    }

    private static void wrongSubscription(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Session other = target.spawn(null, false);
                Reader reader = Way.many(target, "", Opening.captain(session))) {
            for (String token : wrong(session, other)) {
                reader.say(Way.subscribe(session, new Opening(token, null, 0, 0)));
                Event answer = reader.answer();
                Violation.require(answer instanceof Event.Note note && note.code().equals("UNAUTHENTICATED"),
                        "a wrong token was answered by " + answer);
                Violation.requireEqual(session.id(), ((Event.Note) answer).fields().text("id", ""), "the id in the refusal");
            }
            reader.say("{\"action\":\"ping\"}");
            Violation.require(reader.next() instanceof Event.Note pong && pong.type().equals("pong"), "no pong came");
        }
    }

    private static void wrongBearer(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Session other = target.spawn(null, false)) {
            requireRefused(target, session, "");
            for (String token : wrong(session, other)) {
                requireRefused(target, session, token);
            }
        }
    }

    private static void requireRefused(Target target, Session session, String token) throws IOException {
        try (EventReader reader = Way.events(session, "", target.headers(token), Opening.watcher(session))) {
            Violation.requireEqual(401, reader.head().status(), "the answer to a wrong token");
        }
        Http.Answer view = target.ask("GET /api/v1/spawns/" + session.id(), target.headers(token), "");
        Violation.requireEqual(401, view.status(), "the answer to a wrong token");
    }

    private static void wrongUpgrade(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Session other = target.spawn(null, false)) {
            for (String token : wrong(session, other)) {
                try (Reader reader = Way.socket(session, token, "", Opening.captain(session))) {
                    Event event = reader.next();
                    Violation.require(event instanceof Event.Refused refused && refused.status() / 100 == 4,
                            "a wrong token was answered by " + event);
                }
            }
        }
    }

    private static void authFirst(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false)) {
            requireClosed(session, way, Session.message(Work.lines(1)), "ATTACH_AUTH_MISSING", MISSING);
            requireClosed(session, way, "{\"action\":\"ping\"}", "ATTACH_AUTH_MISSING", MISSING);
            requireClosed(session, way, "nonsense", "MALFORMED_JSON", 4500);
        }
    }

    private static void authTimeout(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Reader reader = waiting(session, way)) {
            long start = System.nanoTime();
            requireClosed(reader, way, "AUTH_TIMEOUT", 4522);
            long tookMs = (System.nanoTime() - start) / 1_000_000;
            Violation.require(tookMs > target.scale().authTimeoutMs() * 8 / 10, "closed after " + tookMs + " ms already");
            Violation.require(tookMs < target.scale().authTimeoutMs() * 2, "closed after " + tookMs + " ms only");
        }
    }

    private static void watcher(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Reader reader = way.open(session, Opening.watcher(session))) {
            Transcript.fresh().open(reader);
            way.send(reader, session, Work.lines(1));
            Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to a watcher's message");
            way.act(reader, session, "terminate");
            Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to a watcher's terminate");
            reader.say("{\"action\":\"ping\"}");
            Violation.require(reader.answer() instanceof Event.Note pong && pong.type().equals("pong"), "no pong came");
            Violation.requireEqual("running", session.view().text("state", ""), "the state of the spawn");
        }
    }

    private static void role(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Reader reader = way.watching(session)) {
            Event first = reader.next();
            Violation.require(first instanceof Event.Welcome welcome
                    && welcome.fields().text("role", "").equals("watcher"), "the role asked for is not in " + first);
            way.act(reader, session, "terminate");
            Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to a watcher's terminate");
        }
    }

    private static void readersMax(Target target, Way way) throws IOException, InterruptedException {
        List<Reader> readers = new ArrayList<>();
        int max = target.scale().readersMax();
        try (Session session = target.spawn(null, false)) {
            for (int i = 0; i < max; i++) {
                readers.add(way.open(session, Opening.watcher(session)));
                Transcript.fresh().open(readers.getLast()).readTo(readers.getLast(), 1);
            }
            try (Reader more = way.open(session, Opening.watcher(session))) {
                Violation.requireEqual("MAX_SUBSCRIPTIONS", more.refusal(), "the answer to reader " + (max + 1));
            }
            readers.removeLast().close();
            session.await("a reader has gone", () -> session.view().number("readers", 0, max, 0) < max);
            try (Reader more = way.open(session, Opening.watcher(session))) {
                Transcript.fresh().open(more).readTo(more, 1);
            }
        } finally {
            for (Reader reader : readers) {
                reader.close();
            }
        }
    }

    private static Wire connect(Target target, Path socket) throws IOException {
        return new Wire(UnixDomainSocketAddress.of(socket), target.scale().patienceMs(), 0);
    }

    private static void attach(Target target, Way way) throws IOException, InterruptedException {
        Work work = Work.lines(20);
        try (Session session = target.spawn(work, false);
                Reader reader = new LineReader(connect(target, control(target).spawnerSocket()))) {
            session.await("frame 2 is there", () -> session.lastSeq() > 1);
            reader.say("{\"action\":\"attach\",\"id\":\"" + session.id() + "\",\"from\":2}");
            Transcript all = Transcript.from(2).open(reader).readDones(reader, 1);
            all.requireOutput(work.output());
            reader.say("{\"action\":\"terminate\"}");
            all.readToEnd(reader);
        }
    }

    private static void httpUnix(Target target, Way way) throws IOException {
        Work work = Work.lines(20);
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

    private static void host(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false)) {
            for (Map.Entry<String, String> header : Map.of("Host", "evil.example", "Origin", "https://evil.example").entrySet()) {
                Map<String, String> headers = target.headers(session.watcherToken());
                headers.put(header.getKey(), header.getValue());
                try (EventReader reader = Way.events(session, "", headers, Opening.watcher(session))) {
                    Violation.requireEqual(403, reader.head().status(), "the answer to " + header);
                    Violation.requireEqual("FORBIDDEN", reader.refusal(), "the answer to " + header);
                }
            }
        }
    }

    private static void heartbeat(Target target, Way way) throws IOException {
        try (Session session = target.spawn(null, false); Reader reader = way.open(session, Opening.watcher(session))) {
            Transcript.fresh().open(reader).readTo(reader, 1);
            for (int beat = 0; beat < 2; beat++) {
                long start = System.nanoTime();
                Event event = reader.next();
                long tookMs = (System.nanoTime() - start) / 1_000_000;
                Violation.require(event instanceof Event.Comment, "on a quiet stream came " + event);
                Violation.require(tookMs < target.scale().heartbeatMs() * 11 / 10 + 500, "a comment came after " + tookMs + " ms");
            }
        }
    }
}
