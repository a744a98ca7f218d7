package brig.gateway.listener;

import brig.gateway.auth.Access;
import brig.gateway.connection.ConnectionWriter;
import brig.gateway.connection.EventSink;
import brig.gateway.connection.SseHeartbeat;
import brig.gateway.session.Session;
import brig.gateway.stream.AgentFilter;
import brig.gateway.stream.Subscription;
import brig.protocol.ErrorCode;
import brig.protocol.StreamPosition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A session on one response of server-sent events: its subscription and its heartbeat. Owned by the event loop. */
public final class EventStream implements ConnectionWriter.Writer {
    private final ListenerServices listeners;
    private final Session session;
    private final Access access;
    private final String epoch;
    private final ConnectionWriter writer;
    private final EventSink sink;
    private final Subscription subscription;
    private Runnable absence = () -> {};
    private Runnable unwatch = () -> {};
    private @Nullable SseHeartbeat heartbeat;

    /**
     * Subscribes to the session; call {@link #begin} when the head of the response is written.
     *
     * @throws brig.protocol.BrigException {@code MAX_SUBSCRIPTIONS}
     */
    public EventStream(
            ListenerServices listeners,
            Session session,
            Access access,
            long from,
            @Nullable AgentFilter narrowing,
            long maxLatencyMs,
            ConnectionWriter writer) {
        this.listeners = listeners;
        this.session = session;
        this.access = access.asWatcher();
        this.epoch = session.spawn().log().epoch();
        this.writer = writer;
        this.sink = new EventSink(writer);
        this.subscription = session.subscribe(from, false, narrowing, maxLatencyMs, sink);
    }

    /** Begins to read; a browser at a position of another epoch is first told that the stream begins again. */
    public void begin(Optional<StreamPosition> position, boolean presence) {
        writer.add(this);
        position.filter(last -> !last.epoch().equals(epoch)).ifPresent(last -> sink.restart(last.seq(), epoch));
        absence = session.join(access, presence ? sink::presence : null);
        unwatch = listeners.watch(access, writer);
        heartbeat = new SseHeartbeat(listeners.timers(), sink);
        subscription.drain();
        sink.flush();
    }

    @Override
    public void drain() {
        subscription.drain();
    }

    @Override
    public void leave(ErrorCode why) {
        session.logLeave(why, access, subscription);
        close();
        sink.leave(why, epoch, subscription.nextSeq());
    }

    /** The connection is gone, or will be. */
    public void close() {
        if (heartbeat != null) {
            heartbeat.stop();
            heartbeat = null;
            absence.run();
            unwatch.run();
        }
        writer.remove(this);
        subscription.close();
    }
}
