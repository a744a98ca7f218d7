package brig.gateway.listener;

import brig.gateway.session.Session;
import brig.gateway.stream.Subscription;
import brig.gateway.time.Timers;
import brig.protocol.ErrorCode;
import brig.protocol.StreamPosition;
import java.util.Optional;

/** A session on one response of server-sent events: the reader that feeds it, and its beat. Owned by the event loop. */
final class EventStream implements Outlet.Writer {
    private static final long HEARTBEAT_MS = 15_000;

    private final String epoch;
    private final Outlet outlet;
    private final Timers timers;
    private final EventSink sink;
    private final Subscription reader;
    private boolean closed;

    /**
     * Joins the session's readers; {@link #begin} follows when the head of the response is written.
     *
     * @throws brig.protocol.BrigException {@code MAX_SUBSCRIPTIONS}
     */
    EventStream(Session session, long from, Outlet outlet, Timers timers) {
        this.epoch = session.spawn().log().epoch();
        this.outlet = outlet;
        this.timers = timers;
        this.sink = new EventSink(outlet);
        this.reader = session.subscribe(from, false, sink);
    }

    /** Begins to read; a browser with a position of another epoch is told first that the stream begins again. */
    void begin(Optional<StreamPosition> position) {
        outlet.add(this);
        position.filter(last -> !last.epoch().equals(epoch)).ifPresent(last -> sink.restart(last.seq(), epoch));
        timers.after(HEARTBEAT_MS, this::beat);
        reader.drain();
        sink.flush();
    }

    private void beat() {
        if (!closed) {
            sink.heartbeat();
            timers.after(HEARTBEAT_MS, this::beat);
        }
    }

    @Override
    public void drain() {
        reader.drain();
    }

    @Override
    public void leave(ErrorCode why) {
        close();
        sink.leave(why, epoch, reader.nextSeq());
    }

    /** The connection is gone. */
    void close() {
        closed = true;
        outlet.remove(this);
        reader.close();
    }
}
