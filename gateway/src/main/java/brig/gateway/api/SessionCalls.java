package brig.gateway.api;

import brig.gateway.connection.Attachment;
import brig.gateway.connection.EventSink;
import brig.gateway.connection.Outlet;
import brig.gateway.listener.Door;
import brig.gateway.listener.EventStream;
import brig.gateway.listener.WebSockets;
import brig.gateway.session.Access;
import brig.gateway.session.Session;
import brig.gateway.session.SessionStatus;
import brig.gateway.stream.Narrowing;
import brig.protocol.Fields;
import brig.protocol.Limits;
import brig.protocol.StreamPosition;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sessions over HTTP: who listens as server-sent events, who attaches by WebSocket, who speaks by request. */
final class SessionCalls {
    private final Door door;
    private final SpawnCalls spawns;
    private final WebSockets webSockets;

    SessionCalls(Door door, SpawnCalls spawns, WebSockets webSockets) {
        this.door = door;
        this.spawns = spawns;
        this.webSockets = webSockets;
    }

    /** Those that have not ended, or those of the status that is asked for. */
    void list(Call call) {
        String text = call.text("status");
        SessionStatus status = text == null ? null : SessionStatus.read(text);
        call.answer(
                200,
                spawns.page(
                        call,
                        "sessions",
                        spawn -> status == null ? !spawn.state().isFinal() : SessionStatus.of(spawn.state()) == status,
                        Session::view));
    }

    void input(Call call) {
        Fields body = call.body().only(Set.of("content", "message_id", "take_control", "client"));
        Session session = call.session();
        Map<String, @Nullable Object> message = new HashMap<>();
        message.put("role", "user");
        message.put("content", body.requiredText("content"));
        message.put("message_id", body.text("message_id"));
        session.handleMessage(
                call.access(), new Fields(message), body.flag("take_control"), Attachment.Wish.via(body, "http"));
        accepted(call);
    }

    void cancel(Call call) {
        call.session().handleMessage(call.access(), new Fields(Map.of("action", "cancel")), false, "http");
        accepted(call);
    }

    private static void accepted(Call call) {
        call.answer(202, Map.of("spawn_id", call.session().spawn().spawnId(), "accepted", true));
    }

    void attach(Call call) {
        Session session = door.sessions().find(call.id());
        Access access = call.access();
        Access here = access.isNobody() ? access : access.in(session.spawn());
        webSockets.attach(call.request(), session, here, wish(call));
    }

    /** {@code ?from=…&role=…} as the fields that the first message would have. */
    private static Attachment.Wish wish(Call call) {
        Map<String, @Nullable Object> fields = new HashMap<>();
        fields.put("from", call.number("from", 1, Limits.SEQ_MAX, 1));
        fields.put("role", call.text("role"));
        fields.put("presence", call.flag("presence"));
        fields.put("agent", call.text("agent"));
        fields.put("client", call.text("client"));
        return Attachment.Wish.read(new Fields(fields), "websocket");
    }

    void multiplex(Call call) {
        webSockets.multiplex(call.request(), call.access());
    }

    void stream(Call call) {
        Session session = call.session();
        session.requireAttachable();
        boolean presence = call.flag("presence");
        Optional<StreamPosition> position = position(call.request());
        Narrowing narrowing = Narrowing.read(call.text("agent"));
        long from = session.resumePoint(position);
        HttpServerResponse response = call.response();
        if (session.spawn().log().isEnded() && from > session.spawn().log().lastSeq()) {
            response.setStatusCode(204).end();
            return;
        }
        Outlet outlet = door.outlet(Door.channel(call.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        EventStream events = new EventStream(door, session, call.access(), from, narrowing, outlet);
        EventSink.begin(response, new StreamPosition(session.spawn().log().epoch(), from - 1).toString());
        response.closeHandler(nothing -> events.close());
        events.begin(position, presence);
        // They stay as long as the connection does, and take a tenth of its memory.
        call.request().headers().clear();
    }

    /** The position that the browser resumes from: the header, which EventSource sends by itself, before the query. */
    static Optional<StreamPosition> position(HttpServerRequest request) {
        String header = request.getHeader("Last-Event-ID");
        String text = header == null || header.isEmpty() ? request.getParam("last_event_id") : header;
        if (text == null || text.isEmpty() || text.equals("earliest")) {
            return Optional.empty();
        }
        // Behind the highest number nothing can come, not even a gap.
        Optional<StreamPosition> position = StreamPosition.parse(text).filter(last -> last.seq() < Limits.SEQ_MAX);
        if (position.isEmpty()) {
            throw Fields.invalid("last_event_id", "must be <epoch>-<seq> as the stream's ids are, or \"earliest\"");
        }
        return position;
    }
}
