package brig.loadtests.conformance;

import brig.loadtests.client.Event;
import brig.loadtests.client.EventReader;
import brig.loadtests.client.Http;
import brig.loadtests.client.OpenRequest;
import brig.loadtests.client.Reader;
import brig.loadtests.client.Session;
import brig.loadtests.client.StreamTransport;
import brig.loadtests.client.Target;
import brig.loadtests.client.Violation;
import brig.loadtests.client.Workload;
import brig.loadtests.conformance.Check.Needs;
import brig.protocol.Ids;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.Json;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** Authentication by token, and its refusals. */
final class TokenChecks {
    private static final Set<StreamTransport> WAITING = Set.of(StreamTransport.UNIX, StreamTransport.WEBSOCKET);
    private static final Set<StreamTransport> SSE = Set.of(StreamTransport.SSE);
    private static final int UNAUTHENTICATED = 4520;
    private static final int MISSING = 4523;

    private TokenChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "wrong-token",
                        "3",
                        "A wrong token closes the connection with `UNAUTHENTICATED`.",
                        "a wrong token: UNAUTHENTICATED, closed (4520 on a WebSocket)",
                        WAITING,
                        Needs.NOTHING,
                        TokenChecks::wrongToken),
                new Check(
                        "wrong-token",
                        "4.4",
                        "Without either, each `subscribe` has the token of its session.",
                        "a wrong token: no subscription, UNAUTHENTICATED with the id",
                        Set.of(StreamTransport.MANY),
                        Needs.NOTHING,
                        TokenChecks::wrongSubscription),
                new Check(
                        "wrong-token",
                        "4.3",
                        "no token and a token that is not of this spawn are 401",
                        "no token, wrong ones, and another session's: 401",
                        SSE,
                        Needs.NOTHING,
                        TokenChecks::wrongBearer),
                new Check(
                        "wrong-token",
                        "4.3",
                        "The token comes as `Authorization: Bearer` with the upgrade",
                        "a wrong token with the upgrade: 401",
                        Set.of(StreamTransport.WEBSOCKET),
                        Needs.NOTHING,
                        TokenChecks::wrongUpgrade),
                new Check(
                        "auth-first",
                        "3",
                        "`auth` MUST be the first line of every connection that was not authenticated when it was opened.",
                        "anything before auth closes, with the code of section 6",
                        WAITING,
                        Needs.NOTHING,
                        TokenChecks::authFirst),
                new Check(
                        "auth-timeout",
                        "3",
                        "the connection is closed with `AUTH_TIMEOUT`",
                        "silence closes after the time, with a word (4522 on a WebSocket)",
                        WAITING,
                        Needs.TIME,
                        TokenChecks::authTimeout));
    }

    private static List<String> wrong(Session session, Session other) {
        String own = session.captainToken();
        char changed = own.charAt(10) == 'a' ? 'b' : 'a';
        return List.of(
                Ids.newToken(),
                "short",
                own + "a",
                own.substring(0, 10) + changed + own.substring(11),
                other.captainToken(),
                other.watcherToken());
    }

    private static void wrongToken(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Session other = target.spawn(null, false)) {
            for (String token : wrong(session, other)) {
                requireClosed(
                        session,
                        way,
                        line(new CaptainLine.Auth(token, AttachOptions.NONE)),
                        "UNAUTHENTICATED",
                        UNAUTHENTICATED);
            }
        }
    }

    private static String line(Record record) {
        return new String(Json.write(record), StandardCharsets.UTF_8);
    }

    /** The connection's first line is refused, then the connection is closed. */
    private static void requireClosed(Session session, StreamTransport way, String line, String code, int closeCode)
            throws IOException {
        try (Reader reader = waiting(session, way)) {
            reader.say(line);
            requireClosed(reader, way, code, closeCode);
        }
    }

    private static void requireClosed(Reader reader, StreamTransport way, String code, int closeCode)
            throws IOException {
        Violation.requireEqual(code, reader.refusal(), "the refusal");
        Event event = reader.next();
        Violation.require(event instanceof Event.End, "behind the refusal came " + event);
        if (way == StreamTransport.WEBSOCKET) {
            Violation.requireEqual(closeCode, ((Event.End) event).code(), "the close code");
            Violation.requireEqual(code, ((Event.End) event).reason(), "the close reason");
        }
    }

    /** An unauthenticated connection. */
    private static Reader waiting(Session session, StreamTransport way) throws IOException {
        return way == StreamTransport.UNIX
                ? StreamTransport.unix(session, OpenRequest.captain(session))
                : StreamTransport.socket(session, "", "", OpenRequest.captain(session));
    }

    private static void wrongSubscription(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Session other = target.spawn(null, false);
                Reader reader = StreamTransport.many(target, "", OpenRequest.captain(session))) {
            for (String token : wrong(session, other)) {
                reader.say(StreamTransport.subscribe(session, new OpenRequest(token, null, 0, 0, null)));
                Event answer = reader.answer();
                Violation.require(
                        answer instanceof Event.Note note && note.code().equals("UNAUTHENTICATED"),
                        "a wrong token was answered by " + answer);
                Violation.requireEqual(
                        session.id(), ((Event.Note) answer).fields().text("id", ""), "the id in the refusal");
            }
            reader.say(new CaptainLine.Ping());
            Violation.require(reader.next() instanceof Event.Note pong && pong.isPong(), "no pong came");
        }
    }

    private static void wrongBearer(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Session other = target.spawn(null, false)) {
            requireRefused(target, session, "");
            for (String token : wrong(session, other)) {
                requireRefused(target, session, token);
            }
        }
    }

    private static void requireRefused(Target target, Session session, String token) throws IOException {
        try (EventReader reader =
                StreamTransport.events(session, "", target.headers(token), OpenRequest.watcher(session))) {
            Violation.requireEqual(401, reader.head().status(), "the answer to a wrong token");
        }
        Http.Answer view = target.ask("GET /api/v1/spawns/" + session.id(), target.headers(token), "");
        Violation.requireEqual(401, view.status(), "the answer to a wrong token");
    }

    private static void wrongUpgrade(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Session other = target.spawn(null, false)) {
            for (String token : wrong(session, other)) {
                try (Reader reader = StreamTransport.socket(session, token, "", OpenRequest.captain(session))) {
                    Event event = reader.next();
                    Violation.require(
                            event instanceof Event.Refused refused && refused.status() / 100 == 4,
                            "a wrong token was answered by " + event);
                }
            }
        }
    }

    private static void authFirst(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false)) {
            requireClosed(session, way, line(Session.message(Workload.lines(1))), "ATTACH_AUTH_MISSING", MISSING);
            requireClosed(session, way, line(new CaptainLine.Ping()), "ATTACH_AUTH_MISSING", MISSING);
            requireClosed(session, way, "nonsense", "MALFORMED_JSON", 4500);
        }
    }

    private static void authTimeout(Target target, StreamTransport way) throws IOException {
        try (Session session = target.spawn(null, false);
                Reader reader = waiting(session, way)) {
            long start = System.nanoTime();
            requireClosed(reader, way, "AUTH_TIMEOUT", 4522);
            long tookMs = (System.nanoTime() - start) / 1_000_000;
            Violation.require(
                    tookMs > target.scale().authTimeoutMs() * 8 / 10, "closed after " + tookMs + " ms already");
            Violation.require(tookMs < target.scale().authTimeoutMs() * 2, "closed after " + tookMs + " ms only");
        }
    }
}
