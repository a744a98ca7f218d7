package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.connection.SseHeartbeat;
import brig.gateway.events.HookEvents;
import brig.gateway.http.Call;
import brig.gateway.http.Caller;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.spawn.Spawner;
import brig.gateway.stream.GapReason;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.StreamPosition;
import brig.protocol.api.EventPage;
import brig.protocol.api.HttpRequest;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Reporting and reading of hook events. */
public final class EventCalls {
    private static final Pattern TYPE = Pattern.compile("[a-z][a-z0-9_]{0,31}(\\.[a-z][a-z0-9_]{0,31}){0,3}");
    private static final Pattern SESSION_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
    private static final String CREATED = "session.created";
    private static final int PAGE = 100;

    private final ListenerServices listeners;
    private final Spawner spawner;
    private final HookEvents events;

    public EventCalls(ListenerServices listeners, Spawner spawner, HookEvents events) {
        this.listeners = listeners;
        this.spawner = spawner;
        this.events = events;
    }

    public CompletionStage<EventPage.Event> post(Caller caller, HttpRequest.Report report) {
        String type = report.type();
        if (!TYPE.matcher(type).matches()) {
            throw BrigException.invalid("type", "must be words of [a-z0-9_] joined by dots, such as session.created");
        }
        String sessionId = report.sessionId();
        if (sessionId != null && !SESSION_ID.matcher(sessionId).matches()) {
            throw BrigException.invalid("session_id", "must match " + SESSION_ID);
        }
        Session session = about(report);
        caller.access().in(session.spawn()).requireCaptain();
        if (type.equals(CREATED)) {
            if (sessionId == null) {
                throw BrigException.invalid("session_id", "is missing");
            }
            spawner.bindSession(session.spawn(), sessionId);
        }
        return events.add(type, session.spawn().spawnId(), sessionId, report.data());
    }

    /** The session of a report, by exact names only. @throws BrigException {@code NOT_FOUND} */
    private Session about(HttpRequest.Report report) {
        String sessionId = report.sessionId();
        if (report.spawnId() != null) {
            return listeners.sessions().ofSpawn(report.spawnId());
        }
        if (report.requestId() != null) {
            return listeners.sessions().ofRequest(report.requestId());
        }
        if (sessionId == null || report.type().equals(CREATED)) {
            throw BrigException.invalid("spawn_id", "is missing: or request_id, as the spawn was tagged");
        }
        return listeners.sessions().ofSession(sessionId);
    }

    public void list(Call call, HttpRequest.ListEvents in) {
        String session = reached(call.access(), in.sessionId());
        if (call.wantsEvents()) {
            follow(call, in, session);
            return;
        }
        List<EventPage.Event> page = events.after(in.after(), session, in.limit() == 0 ? PAGE : in.limit()).stream()
                .map(HookEvents.Kept::event)
                .toList();
        call.answer(200, new EventPage(page, events.epoch(), events.firstSeq(), events.lastSeq()));
    }

    /** The session whose events the caller may read; null for all. */
    private @Nullable String reached(Access access, @Nullable String id) {
        boolean all = access.spawnId() == null && access.role() != Role.CAPTAIN;
        if (id == null) {
            if (!all) {
                throw new BrigException(ErrorCode.FORBIDDEN, "the token does not reach all sessions: name one");
            }
            return null;
        }
        Session session = listeners.sessions().find(id);
        access.in(session.spawn());
        return session.spawn().spawnId();
    }

    private void follow(Call call, HttpRequest.ListEvents in, @Nullable String session) {
        Optional<StreamPosition> position = SessionCalls.position(call.request(), in.lastEventId());
        boolean known = position.isEmpty() || position.get().epoch().equals(events.epoch());
        long after = position.isPresent() ? known ? position.get().seq() : 0 : in.after();
        HttpServerResponse response = call.response();
        ConnectionWriter writer =
                listeners.writer(ListenerServices.channel(call.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        Follower follower = new Follower(call.access(), writer, session, after);
        EventSink.begin(response, new StreamPosition(events.epoch(), after).toString());
        response.closeHandler(nothing -> follower.close());
        follower.begin(known ? 0 : position.get().seq() + 1);
    }

    /** One subscriber to the events, on a response of its own. Owned by the event loop. */
    private final class Follower implements ConnectionWriter.Writer {
        private final Access access;
        private final ConnectionWriter writer;
        private final EventSink sink;
        private final @Nullable String session;
        private long seen;
        private Runnable unfollow = () -> {};
        private Runnable unwatch = () -> {};
        private @Nullable SseHeartbeat heartbeat;

        Follower(Access access, ConnectionWriter writer, @Nullable String session, long seen) {
            this.access = access;
            this.writer = writer;
            this.sink = new EventSink(writer);
            this.session = session;
            this.seen = seen;
        }

        /** @param foreign the next number within another epoch, which is unrelated; 0 for none */
        void begin(long foreign) {
            writer.add(this);
            if (foreign > 0) {
                sink.restart(foreign - 1, events.epoch());
            }
            unfollow = events.follow(this::drain);
            unwatch = listeners.watch(access, writer);
            heartbeat = new SseHeartbeat(listeners.timers(), sink);
            drain();
        }

        /** Writes available events while the connection is writable. */
        @Override
        public void drain() {
            if (seen + 1 < events.firstSeq()) {
                sink.gap(seen + 1, events.firstSeq() - 1, GapReason.EVICTED);
                seen = events.firstSeq() - 1;
            }
            while (sink.isWritable()) {
                List<HookEvents.Kept> next = events.after(seen, session, 1);
                if (next.isEmpty()) {
                    break;
                }
                HookEvents.Kept event = next.getFirst();
                sink.event(new StreamPosition(events.epoch(), event.seq()), event.json());
                seen = event.seq();
            }
            sink.flush();
        }

        @Override
        public void leave(ErrorCode why) {
            close();
            sink.leave(why, events.epoch(), seen + 1);
        }

        void close() {
            if (heartbeat != null) {
                heartbeat.stop();
                heartbeat = null;
                unfollow.run();
                unwatch.run();
            }
            writer.remove(this);
        }
    }
}
