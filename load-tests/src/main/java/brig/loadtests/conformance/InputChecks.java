package brig.loadtests.conformance;

import brig.loadtests.client.Event;
import brig.loadtests.client.Http;
import brig.loadtests.client.LineReader;
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
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Set;

/** Invalid input is refused by name, disturbs nobody, and affects no other session. */
final class InputChecks {
    private static final String PING = "{\"action\":\"ping\"}";
    private static final String BAD_LINE =
            "A bad line is refused (`LINE_TOO_LONG`, `NUL_BYTE`, `INVALID_UTF8`, `MALFORMED_JSON`), and the lines after it are read.";
    private static final Workload BESIDE = new Workload(1, 15, 4, 20, "0.01");

    private InputChecks() {}

    static List<Check> all() {
        return List.of(
                new Check(
                        "malformed",
                        "1",
                        BAD_LINE,
                        "lines that are no JSON object: MALFORMED_JSON, and it goes on",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            for (String line : List.of(
                                    "nonsense",
                                    "[]",
                                    "{\"action\":\"ping\"",
                                    "{} {}",
                                    "{\"action\":\"ping\",\"action\":\"ping\"}",
                                    "\ufeff" + PING,
                                    "{\"a\":" + "[".repeat(40) + "]".repeat(40) + "}")) {
                                requireRefused(reader, line, "MALFORMED_JSON");
                            }
                        })),
                new Check(
                        "nul",
                        "1",
                        BAD_LINE,
                        "a NUL byte in a line: NUL_BYTE, and it goes on",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) ->
                                requireRefused(reader, "{\"action\":\0\"ping\"}", "NUL_BYTE"))),
                new Check(
                        "utf8",
                        "1",
                        BAD_LINE,
                        "a line that is not UTF-8: INVALID_UTF8, and it goes on",
                        Set.of(StreamTransport.UNIX),
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            ((LineReader) reader)
                                    .sayBytes("{\"action\":\"\u00ff\"}\n".getBytes(StandardCharsets.ISO_8859_1));
                            Violation.requireEqual("INVALID_UTF8", reader.refusal(), "the refusal");
                            requirePong(reader);
                        })),
                new Check(
                        "too-long",
                        "1",
                        BAD_LINE,
                        "a line above its bound: LINE_TOO_LONG, and it goes on",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> requireRefused(
                                reader, "x".repeat(session.target().scale().messageBytesMax() + 1), "LINE_TOO_LONG"))),
                new Check(
                        "next-line",
                        "1",
                        BAD_LINE,
                        "a bad line and a good one at once: the good one is read",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            reader.say("nonsense\n" + PING);
                            Violation.requireEqual("MALFORMED_JSON", reader.refusal(), "the refusal");
                            requireType("pong", reader.answer());
                        })),
                new Check(
                        "longest",
                        "1",
                        "a message or request to Brig at most 1 048 576",
                        "a line just below its bound is read",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            int rest = session.target().scale().messageBytesMax() - PING.length() - 20;
                            reader.say("{\"more\":\"" + "x".repeat(rest) + "\"," + PING.substring(1));
                            requireType("pong", reader.answer());
                        })),
                new Check(
                        "ignored",
                        "1",
                        "Receivers MUST ignore fields and frame types that they do not know.",
                        "unknown fields in a captain's lines",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            reader.say("{\"action\":\"ping\",\"more\":{\"a\":[1,2.5,null]},\"from\":null}");
                            requireType("pong", reader.answer());
                        })),
                new Check(
                        "line-ends",
                        "1",
                        "CR LF is accepted. Empty lines are skipped.",
                        "CR LF, and empty lines between",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            reader.say("\n\r\n" + PING + "\r\n\n" + PING + "\r");
                            requireType("pong", reader.answer());
                            requireType("pong", reader.answer());
                        })),
                new Check(
                        "unknown-action",
                        "3",
                        "An unknown action is `UNKNOWN_ACTION`. An object that is none of these is `INVALID_FIELD`.",
                        "refused by name, and the connection stays open",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            JsonObject fly = JsonObject.EMPTY.with("action", "fly");
                            reader.say(way == StreamTransport.MANY ? fly.with("id", session.id()) : fly);
                            Violation.requireEqual(
                                    "UNKNOWN_ACTION", reader.refusal(), "the answer to an unknown action");
                            requireRefused(reader, "{\"hello\":1}", "INVALID_FIELD");
                        })),
                new Check(
                        "keys",
                        "3",
                        "In a session without a terminal they are refused with `INPUT_NOT_ACCEPTED`.",
                        "keys and sizes for a session without a terminal",
                        StreamTransport.SPEAKING,
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            for (JsonObject line : List.of(
                                    atTerminal(way, session, "keys").with("data", "ls\r"),
                                    atTerminal(way, session, "resize")
                                            .with("cols", 80)
                                            .with("rows", 24))) {
                                reader.say(line);
                                Violation.requireEqual(
                                        "INPUT_NOT_ACCEPTED", reader.refusal(), "the answer to " + line.names());
                                requirePong(reader);
                            }
                        })),
                new Check(
                        "binary",
                        "4.3",
                        "Binary messages are refused with close code 1003.",
                        "a binary message closes with 1003",
                        Set.of(StreamTransport.WEBSOCKET, StreamTransport.MANY),
                        Needs.NOTHING,
                        besideOthers((reader, way, session) -> {
                            ((SocketReader) reader).send(SocketReader.BINARY, PING.getBytes(StandardCharsets.UTF_8));
                            Violation.requireEqual(1003, reader.end().code(), "the close code");
                        })),
                new Check(
                        "problems",
                        "6",
                        "Over HTTP: `application/problem+json` (RFC 9457)",
                        "bad requests are named, each with its status",
                        Set.of(StreamTransport.SSE),
                        Needs.NOTHING,
                        InputChecks::problems));
    }

    /** A step over a captain's connection. */
    private interface TestStep {
        void run(Reader captain, StreamTransport way, Session session) throws IOException;
    }

    /** Runs the step on one connection while others read this session and another one, and must not notice. */
    private static Check.Body besideOthers(TestStep deed) {
        return (target, way) -> {
            try (Session session = target.spawn(BESIDE, false);
                    Session other = target.spawn(BESIDE, true);
                    Reader beside = StreamTransport.SSE.open(session, OpenRequest.watcher(session));
                    Reader transcripts = StreamTransport.WEBSOCKET.open(other, OpenRequest.captain(other));
                    Reader captain = way.open(session, OpenRequest.captain(session))) {
                Transcript.fresh().open(captain);
                deed.run(captain, way, session);
                Transcript.fresh().open(beside).readDones(beside, 1).requireOutput(BESIDE.output());
                Transcript.fresh().open(transcripts).readToEnd(transcripts).requireOutput(BESIDE.output());
            }
        };
    }

    private static JsonObject atTerminal(StreamTransport way, Session session, String what) {
        return way == StreamTransport.MANY
                ? JsonObject.EMPTY.with("action", what).with("id", session.id())
                : JsonObject.EMPTY.with("type", what);
    }

    private static void requireRefused(Reader reader, String line, String code) throws IOException {
        reader.say(line);
        Violation.requireEqual(
                code,
                reader.refusal(),
                "the answer to "
                        + line.substring(0, Math.min(line.length(), 30)).replace('\0', '?'));
        requirePong(reader);
    }

    private static void requirePong(Reader reader) throws IOException {
        reader.say(PING);
        requireType("pong", reader.answer());
    }

    private static void requireType(String type, Event event) {
        Violation.require(
                event instanceof Event.Note note && note.type().equals(type), "instead of " + type + " came " + event);
    }

    private static void problems(Target target, StreamTransport way) throws IOException {
        requireProblem(target, "POST /api/v1/spawns", "nonsense", 400, "MALFORMED_JSON");
        requireProblem(target, "POST /api/v1/spawns", "{}", 400, "INVALID_FIELD");
        requireProblem(
                target,
                "POST /api/v1/spawns",
                "{\"agent_config\":{\"name\":\"" + target.agent() + "\"},\"fly\":1}",
                400,
                "INVALID_FIELD");
        requireProblem(
                target, "POST /api/v1/spawns", "{\"agent_config\":{\"name\":\"no-such-agent\"}}", 404, "UNKNOWN_AGENT");
        requireProblem(
                target, "POST /api/v1/spawns", " ".repeat(target.scale().messageBytesMax() + 1), 413, "BODY_TOO_LARGE");
        requireProblem(target, "GET /api/v1/spawns/nobody", "", 404, "NOT_FOUND");
        requireProblem(target, "GET /api/v1/sessions/nobody/stream", "", 404, "NOT_FOUND");
        requireProblem(target, "DELETE /api/v1/spawns", "", 405, "METHOD_NOT_ALLOWED");
    }

    private static void requireProblem(Target target, String requestLine, String body, int status, String code)
            throws IOException {
        Http.Answer answer = target.ask(requestLine, body);
        Violation.requireEqual(status, answer.status(), "the status of " + requestLine);
        Violation.requireEqual(code, answer.code(), "the code of " + requestLine);
        Violation.requireEqual(
                "application/problem+json",
                answer.head().header("content-type").split(";", 2)[0],
                "the type of the answer");
    }
}
