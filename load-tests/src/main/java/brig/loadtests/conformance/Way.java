package brig.loadtests.conformance;

import brig.protocol.StreamPosition;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The ways into a stream. */
enum Way {
    UNIX,
    WEBSOCKET,
    MANY,
    SSE;

    static final Set<Way> ALL = Set.of(values());
    /** Those on which a client can speak. */
    static final Set<Way> SPEAKING = Set.of(UNIX, WEBSOCKET, MANY);

    /** Connects and asks for the stream; what the server says to that is read by the caller. */
    Reader open(Session session, Opening opening) throws IOException {
        Target target = session.target();
        return switch (this) {
            case UNIX -> {
                LineReader reader = unix(session, opening);
                reader.say("{\"auth\":\"" + opening.token() + "\"" + from(opening) + "}");
                yield reader;
            }
            case WEBSOCKET ->
                socket(session, opening.token(), opening.from() == null ? "" : "?from=" + opening.from(), opening);
            case MANY -> {
                SocketReader reader = many(target, "", opening);
                reader.say(subscribe(session, opening));
                yield reader;
            }
            case SSE -> {
                Map<String, String> headers = target.headers(opening.token());
                if (opening.from() != null) {
                    headers.put(
                            "Last-Event-ID",
                            new StreamPosition(session.view().requiredText("epoch"), Long.parseLong(opening.from()) - 1)
                                    .toString());
                }
                yield events(session, "", headers, opening);
            }
        };
    }

    /** Comes in with a captain's token, and asks to watch only. */
    Reader watching(Session session) throws IOException {
        Opening captain = Opening.captain(session);
        Reader reader = switch (this) {
            case UNIX -> unix(session, captain);
            case WEBSOCKET -> socket(session, captain.token(), "?role=watcher", captain);
            case MANY -> many(session.target(), "", captain);
            case SSE -> throw new IllegalStateException("events have no role");
        };
        String role = ",\"role\":\"watcher\"}";
        if (this == UNIX) {
            reader.say("{\"auth\":\"" + captain.token() + "\"" + role);
        } else if (this == MANY) {
            reader.say(subscribe(session, captain).replace("}", role));
        }
        return reader;
    }

    /** The Unix socket, before its first line. */
    static LineReader unix(Session session, Opening opening) throws IOException {
        Wire wire = new Wire(
                UnixDomainSocketAddress.of(session.ioSocket()),
                session.target().scale().patienceMs(),
                opening.receiveBytes());
        wire.cutAfter(opening.cutBytes());
        return new LineReader(wire);
    }

    /** The WebSocket of one session; without a token it waits for {@code auth}. */
    static SocketReader socket(Session session, String token, String query, Opening opening) throws IOException {
        return upgrade(session.target(), "/api/v1/sessions/" + session.id() + "/attach" + query, token, false, opening);
    }

    /** The WebSocket of many sessions, without a subscription. */
    static SocketReader many(Target target, String token, Opening opening) throws IOException {
        return upgrade(target, "/api/v1/ws", token, true, opening);
    }

    private static SocketReader upgrade(Target target, String path, String token, boolean many, Opening opening)
            throws IOException {
        Wire wire = target.connect(opening.receiveBytes());
        Map<String, String> headers = target.headers(token);
        headers.putAll(Map.of(
                "Connection",
                "Upgrade",
                "Upgrade",
                "websocket",
                "Sec-WebSocket-Version",
                "13",
                "Sec-WebSocket-Key",
                "AAAAAAAAAAAAAAAAAAAAAA==",
                "Sec-WebSocket-Protocol",
                "brig.v1"));
        Http.send(wire, "GET " + path, headers, "");
        return new SocketReader(wire, many, opening.cutBytes());
    }

    static EventReader events(Session session, String query, Map<String, String> headers, Opening opening)
            throws IOException {
        Wire wire = session.target().connect(opening.receiveBytes());
        Http.send(wire, "GET /api/v1/sessions/" + session.id() + "/stream" + query, headers, "");
        return new EventReader(wire, opening.cutBytes());
    }

    static String subscribe(Session session, Opening opening) {
        return "{\"action\":\"subscribe\",\"id\":\"" + session.id() + "\",\"token\":\"" + opening.token() + "\""
                + from(opening) + "}";
    }

    private static String from(Opening opening) {
        return opening.from() == null ? "" : ",\"from\":" + opening.from();
    }

    /** Gives work to the agent over this connection. */
    void send(Reader reader, Session session, Work work) throws IOException {
        String line = Session.message(work);
        reader.say(
                this != MANY
                        ? line
                        : line.replace("\"role\":\"user\"", "\"action\":\"send\",\"id\":\"" + session.id() + "\""));
    }

    /** Says {@code cancel} or {@code terminate}. */
    void act(Reader reader, Session session, String action) throws IOException {
        reader.say("{\"action\":\"" + action + "\"" + (this == MANY ? ",\"id\":\"" + session.id() + "\"}" : "}"));
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
