package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.connection.Attachment;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.http.Call;
import brig.gateway.listener.EventStream;
import brig.gateway.listener.ListenerServices;
import brig.gateway.listener.WebSockets;
import brig.gateway.session.Session;
import brig.gateway.stream.AgentFilter;
import brig.protocol.Limits;
import brig.protocol.StreamPosition;
import brig.protocol.api.SessionStatus;
import brig.protocol.frame.CaptainLine;
import brig.protocol.json.Fields;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Sessions over HTTP: who listens as server-sent events, who attaches by WebSocket, who speaks by request. */
public final class SessionCalls {
    private final ListenerServices listeners;
    private final SpawnCalls spawns;
    private final WebSockets webSockets;

    public SessionCalls(ListenerServices listeners, SpawnCalls spawns, WebSockets webSockets) {
        this.listeners = listeners;
        this.spawns = spawns;
        this.webSockets = webSockets;
    }

    /** Those that have not ended, or those of the status that is asked for. */
    public void list(Call call) {
        String text = call.text("status");
        SessionStatus status = text == null ? null : status(text);
        call.answer(
                200,
                spawns.page(
                        call,
                        "sessions",
                        spawn -> status == null ? !spawn.state().isFinal() : SessionStatus.of(spawn.state()) == status,
                        Session::view));
    }

    private static SessionStatus status(String text) {
        return Arrays.stream(SessionStatus.values())
                .filter(status -> status.wireName().equals(text))
                .findFirst()
                .orElseThrow(() -> Fields.invalid("status", "must be pending, active or inactive"));
    }

    public void input(Call call) {
        Fields body = call.body().only(Set.of("content", "message_id", "take_control", "client"));
        Session session = call.session();
        session.handleOrder(
                call.access(),
                CaptainLine.UserMessage.of(body.requiredText("content"), body.text("message_id")),
                body.flag("take_control"),
                Attachment.Options.via(body, "http"));
        accepted(call);
    }

    public void cancel(Call call) {
        call.session().handleOrder(call.access(), new CaptainLine.Cancel(), false, "http");
        accepted(call);
    }

    private static void accepted(Call call) {
        call.answer(202, Map.of("spawn_id", call.session().spawn().spawnId(), "accepted", true));
    }

    public void attach(Call call) {
        Session session = listeners.sessions().find(call.id());
        Access access = call.access();
        Access here = access.isNobody() ? access : access.in(session.spawn());
        webSockets.attach(call.request(), session, here, options(call));
    }

    /** {@code ?from=…&role=…} as the fields that the first message would have. */
    private static Attachment.Options options(Call call) {
        Map<String, @Nullable Object> fields = new HashMap<>();
        fields.put("from", call.number("from", 1, Limits.SEQ_MAX, 1));
        fields.put("role", call.text("role"));
        fields.put("presence", call.flag("presence"));
        fields.put("agent", call.text("agent"));
        fields.put("client", call.text("client"));
        return Attachment.Options.read(new Fields(fields), "websocket");
    }

    public void multiplex(Call call) {
        webSockets.multiplex(call.request(), call.access());
    }

    public void stream(Call call) {
        Session session = call.session();
        session.requireAttachable();
        boolean presence = call.flag("presence");
        Optional<StreamPosition> position = position(call.request());
        AgentFilter narrowing = AgentFilter.read(call.text("agent"));
        long from = session.resumePoint(position);
        HttpServerResponse response = call.response();
        if (session.spawn().log().isEnded() && from > session.spawn().log().lastSeq()) {
            response.setStatusCode(204).end();
            return;
        }
        ConnectionWriter writer =
                listeners.writer(ListenerServices.channel(call.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        EventStream events = new EventStream(listeners, session, call.access(), from, narrowing, writer);
        EventSink.begin(response, new StreamPosition(session.spawn().log().epoch(), from - 1).toString());
        response.closeHandler(nothing -> events.close());
        events.begin(position, presence);
        // They stay as long as the connection does, and take a tenth of its memory.
        call.request().headers().clear();
    }

    /** The position that the browser resumes from: the header, which EventSource sends by itself, before the query. */
    public static Optional<StreamPosition> position(HttpServerRequest request) {
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
