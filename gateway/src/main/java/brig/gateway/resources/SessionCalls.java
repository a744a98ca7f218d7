package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.connection.Attachment;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.listener.EventStream;
import brig.gateway.listener.ListenerServices;
import brig.gateway.listener.WebSockets;
import brig.gateway.session.Session;
import brig.gateway.stream.AgentFilter;
import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.StreamPosition;
import brig.protocol.api.Answers;
import brig.protocol.api.HttpRequest;
import brig.protocol.api.SessionList;
import brig.protocol.api.SessionStatus;
import brig.protocol.frame.CaptainLine;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Sessions over HTTP: server-sent events, WebSockets and messages. */
public final class SessionCalls {
    private final ListenerServices listeners;
    private final SpawnCalls spawns;
    private final WebSockets webSockets;

    public SessionCalls(ListenerServices listeners, SpawnCalls spawns, WebSockets webSockets) {
        this.listeners = listeners;
        this.spawns = spawns;
        this.webSockets = webSockets;
    }

    /** The sessions that have not ended, or those with the requested status. */
    public SessionList list(Caller caller, HttpRequest.ListSessions in) {
        SessionStatus status = in.status();
        SpawnCalls.Page page = spawns.page(
                caller,
                in.limit(),
                in.after(),
                spawn -> status == null ? !spawn.state().isFinal() : SessionStatus.of(spawn.state()) == status);
        return new SessionList(page.shown(), page.next());
    }

    public Answers.Accepted input(Caller caller, HttpRequest.Input in) {
        caller.session()
                .handleOrder(
                        caller.access(),
                        CaptainLine.UserMessage.of(in.content(), in.messageId()),
                        in.takeControl(),
                        caller.via(in.client()));
        return accepted(caller);
    }

    public Answers.Accepted cancel(Caller caller) {
        caller.session().handleOrder(caller.access(), new CaptainLine.Cancel(), false, caller.via(null));
        return accepted(caller);
    }

    private static Answers.Accepted accepted(Caller caller) {
        return new Answers.Accepted(caller.session().spawn().spawnId(), true);
    }

    public void attach(Call call, HttpRequest.Attach in) {
        Session session = listeners.sessions().find(in.id());
        Access access = call.access();
        Access here = access.isNobody() ? access : access.in(session.spawn());
        webSockets.attach(call.request(), session, here, Attachment.Options.of(in.options(), "websocket"));
    }

    public void multiplex(Call call) {
        webSockets.multiplex(call.request(), call.access());
    }

    public void stream(Call call, HttpRequest.Stream in) {
        Session session = call.session();
        session.requireAttachable();
        Optional<StreamPosition> position = position(call.request(), in.lastEventId());
        AgentFilter narrowing = AgentFilter.read(in.agent());
        long from = position.isEmpty() && in.from() != 0
                ? session.spawn().log().resumePoint(in.from())
                : session.resumePoint(position);
        HttpServerResponse response = call.response();
        if (session.spawn().log().isEnded() && from > session.spawn().log().lastSeq()) {
            response.setStatusCode(204).end();
            return;
        }
        ConnectionWriter writer =
                listeners.writer(ListenerServices.channel(call.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        EventStream events =
                new EventStream(listeners, session, call.access(), from, narrowing, in.maxLatencyMs(), writer);
        EventSink.begin(response, new StreamPosition(session.spawn().log().epoch(), from - 1).toString());
        response.closeHandler(nothing -> events.close());
        events.begin(position, in.presence());
        // Headers live as long as the connection and use a tenth of its memory.
        call.request().headers().clear();
    }

    /** The position to resume from: the header, which EventSource sends by itself, precedes the query. */
    static Optional<StreamPosition> position(HttpServerRequest request, @Nullable String parameter) {
        String header = request.getHeader("Last-Event-ID");
        String text = header == null || header.isEmpty() ? parameter : header;
        if (text == null || text.isEmpty() || text.equals("earliest")) {
            return Optional.empty();
        }
        // Nothing can follow the highest number, not even a gap.
        Optional<StreamPosition> position = StreamPosition.parse(text).filter(last -> last.seq() < Limits.SEQ_MAX);
        if (position.isEmpty()) {
            throw BrigException.invalid(
                    "last_event_id", "must be <epoch>-<seq> as the stream's ids are, or \"earliest\"");
        }
        return position;
    }
}
