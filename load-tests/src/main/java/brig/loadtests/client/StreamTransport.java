package brig.loadtests.client;

import brig.protocol.StreamPosition;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.MultiplexLine;
import brig.protocol.json.JsonObject;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** The transports of a stream. */
public enum StreamTransport {
    UNIX,
    WEBSOCKET,
    MANY,
    SSE;

    public static final Set<StreamTransport> ALL = Set.of(values());
    /** Transports over which a client can write. */
    public static final Set<StreamTransport> SPEAKING = Set.of(UNIX, WEBSOCKET, MANY);

    private static final AttachOptions WATCHING = new AttachOptions(0, "watcher", false, null, null, 0);

    /** Connects and requests the stream; the caller reads the answer. */
    public Reader open(Session session, OpenRequest opening) throws IOException {
        Target target = session.target();
        return switch (this) {
            case UNIX -> {
                LineReader reader = unix(session, opening);
                reader.say(from(new CaptainLine.Auth(opening.token(), AttachOptions.NONE), opening));
                yield reader;
            }
            case WEBSOCKET -> socket(session, opening.token(), query(opening, true), opening);
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
                            new StreamPosition(session.view().text("epoch", ""), (Long) opening.from() - 1).toString());
                }
                yield events(session, query(opening, false), headers, opening);
            }
        };
    }

    /** Connects with a captain's token, but only to watch. */
    public Reader watching(Session session) throws IOException {
        OpenRequest captain = OpenRequest.captain(session);
        Reader reader = switch (this) {
            case UNIX -> unix(session, captain);
            case WEBSOCKET -> socket(session, captain.token(), "?role=watcher", captain);
            case MANY -> many(session.target(), "", captain);
            case SSE -> throw new IllegalStateException("events have no role");
        };
        if (this == UNIX) {
            reader.say(new CaptainLine.Auth(captain.token(), WATCHING));
        } else if (this == MANY) {
            reader.say(new MultiplexLine.Subscribe(session.id(), captain.token(), WATCHING));
        }
        return reader;
    }

    /** The Unix socket, before its first line. */
    public static LineReader unix(Session session, OpenRequest opening) throws IOException {
        Wire wire = new Wire(
                UnixDomainSocketAddress.of(session.ioSocket()),
                session.target().scale().patienceMs(),
                opening.receiveBytes());
        wire.cutAfter(opening.cutBytes());
        return new LineReader(wire);
    }

    /** The WebSocket of one session; without a token it waits for {@code auth}. */
    public static SocketReader socket(Session session, String token, String query, OpenRequest opening)
            throws IOException {
        return upgrade(session.target(), "/api/v1/sessions/" + session.id() + "/attach" + query, token, false, opening);
    }

    /** The multiplexed WebSocket, without a subscription. */
    public static SocketReader many(Target target, String token, OpenRequest opening) throws IOException {
        return upgrade(target, "/api/v1/ws", token, true, opening);
    }

    private static SocketReader upgrade(Target target, String path, String token, boolean many, OpenRequest opening)
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

    public static EventReader events(Session session, String query, Map<String, String> headers, OpenRequest opening)
            throws IOException {
        Wire wire = session.target().connect(opening.receiveBytes());
        Http.send(wire, "GET /api/v1/sessions/" + session.id() + "/stream" + query, headers, "");
        return new EventReader(wire, opening.cutBytes());
    }

    public static JsonObject subscribe(Session session, OpenRequest opening) {
        return from(new MultiplexLine.Subscribe(session.id(), opening.token(), AttachOptions.NONE), opening);
    }

    private static JsonObject from(Record line, OpenRequest opening) {
        JsonObject object = JsonObject.of(line).with("max_latency_ms", opening.maxLatencyMs());
        return opening.from() == null ? object : object.with("from", opening.from());
    }

    private static String query(OpenRequest opening, boolean withFrom) {
        String from = withFrom && opening.from() != null ? "from=" + opening.from() : "";
        String latency = opening.maxLatencyMs() == null ? "" : "max_latency_ms=" + opening.maxLatencyMs();
        return from.isEmpty() && latency.isEmpty()
                ? ""
                : "?" + from + (from.isEmpty() || latency.isEmpty() ? "" : "&") + latency;
    }

    /** Sends work to the agent over this connection. */
    public void send(Reader reader, Session session, Workload work) throws IOException {
        reader.say(this == MANY ? new MultiplexLine.Send(session.id(), work.message(), null) : Session.message(work));
    }

    public void cancel(Reader reader, Session session) throws IOException {
        reader.say(this == MANY ? new MultiplexLine.Cancel(session.id()) : new CaptainLine.Cancel());
    }

    public void terminate(Reader reader, Session session) throws IOException {
        reader.say(this == MANY ? new MultiplexLine.Terminate(session.id()) : new CaptainLine.Terminate());
    }

    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
