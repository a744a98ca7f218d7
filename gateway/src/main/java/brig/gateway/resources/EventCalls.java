package brig.gateway.resources;

import brig.gateway.auth.Access;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.connection.SseHeartbeat;
import brig.gateway.events.HookEvents;
import brig.gateway.http.Call;
import brig.gateway.listener.ListenerServices;
import brig.gateway.session.Session;
import brig.gateway.spawn.Spawner;
import brig.gateway.stream.GapReason;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Role;
import brig.protocol.StreamPosition;
import brig.protocol.json.Fields;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.http.HttpServerResponse;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** What agents' hooks report, and who reads it. */
public final class EventCalls {
    private static final Set<String> FIELDS = Set.of("type", "session_id", "spawn_id", "request_id", "data");
    private static final Pattern TYPE = Pattern.compile("[a-z][a-z0-9_]{0,31}(\\.[a-z][a-z0-9_]{0,31}){0,3}");
    private static final Pattern SESSION_ID = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,127}");
    private static final String CREATED = "session.created";
    private static final int PAGE = 100;
    private static final int PAGE_MAX = 1_000;

    private final ListenerServices listeners;
    private final Spawner spawner;
    private final HookEvents events;

    public EventCalls(ListenerServices listeners, Spawner spawner, HookEvents events) {
        this.listeners = listeners;
        this.spawner = spawner;
        this.events = events;
    }

    public void post(Call call) {
        Fields report = call.body().only(FIELDS);
        String type = report.requiredText("type");
        if (!TYPE.matcher(type).matches()) {
            throw Fields.invalid("type", "must be words of [a-z0-9_] joined by dots, such as session.created");
        }
        String sessionId = report.text("session_id");
        if (sessionId != null && !SESSION_ID.matcher(sessionId).matches()) {
            throw Fields.invalid("session_id", "must match " + SESSION_ID);
        }
        Session session = about(report, type, sessionId);
        call.access().in(session.spawn()).requireCaptain();
        Map<String, @Nullable Object> data = report.object("data").asMap();
        if (type.equals(CREATED)) {
            spawner.bindSession(session.spawn(), sessionId == null ? report.requiredText("session_id") : sessionId);
        }
        call.answer(
                201,
                events.add(new HookEvents.Report(type, session.spawn().spawnId(), sessionId, data))
                        .thenApply(HookEvents.Event::map));
    }

    /** The session that it is about, by exact names only. @throws BrigException {@code NOT_FOUND} */
    private Session about(Fields report, String type, @Nullable String sessionId) {
        String spawnId = report.text("spawn_id");
        String requestId = report.text("request_id");
        if (spawnId != null) {
            return listeners.sessions().ofSpawn(spawnId);
        }
        if (requestId != null) {
            return listeners.sessions().ofRequest(requestId);
        }
        if (sessionId == null || type.equals(CREATED)) {
            throw Fields.invalid("spawn_id", "is missing: or request_id, as the spawn was tagged");
        }
        return listeners.sessions().ofSession(sessionId);
    }

    public void list(Call call) {
        String accept = call.request().getHeader("Accept");
        if (accept != null && accept.contains("text/event-stream")) {
            follow(call);
            return;
        }
        int limit = (int) call.number("limit", 1, PAGE_MAX, PAGE);
        long after = call.number("after", 0, Long.MAX_VALUE, 0);
        String session = reached(call);
        List<HookEvents.Event> page = events.after(after, session, limit);
        Map<String, @Nullable Object> answer = new LinkedHashMap<>();
        answer.put("events", page.stream().map(HookEvents.Event::map).toList());
        answer.put("epoch", events.epoch());
        answer.put("first_seq", events.firstSeq());
        answer.put("last_seq", events.lastSeq());
        call.answer(200, answer);
    }

    /** Which session's events the caller may read; null for all. */
    private @Nullable String reached(Call call) {
        String id = call.text("session_id");
        Access access = call.access();
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

    private void follow(Call call) {
        String session = reached(call);
        Optional<StreamPosition> position = SessionCalls.position(call.request());
        boolean known = position.isEmpty() || position.get().epoch().equals(events.epoch());
        long after =
                position.isPresent() ? known ? position.get().seq() : 0 : call.number("after", 0, Long.MAX_VALUE, 0);
        HttpServerResponse response = call.response();
        ConnectionWriter writer =
                listeners.writer(ListenerServices.channel(call.request()), why -> LastHttpContent.EMPTY_LAST_CONTENT);
        Follower follower = new Follower(call.access(), writer, session, after);
        EventSink.begin(response, new StreamPosition(events.epoch(), after).toString());
        response.closeHandler(nothing -> follower.close());
        follower.begin(known ? 0 : position.get().seq() + 1);
    }

    /** One reader of the events, on a response of its own. State owned by the event loop. */
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

        /** @param foreign the next number of another epoch, which means nothing here; 0 for none */
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

        /** Writes what is there while the connection takes it. */
        @Override
        public void drain() {
            if (seen + 1 < events.firstSeq()) {
                sink.gap(seen + 1, events.firstSeq() - 1, GapReason.EVICTED);
                seen = events.firstSeq() - 1;
            }
            while (sink.isWritable()) {
                List<HookEvents.Event> next = events.after(seen, session, 1);
                if (next.isEmpty()) {
                    break;
                }
                HookEvents.Event event = next.getFirst();
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
