package brig.gateway.listener;

import brig.gateway.connection.EventSink;
import brig.gateway.connection.Heart;
import brig.gateway.connection.Outlet;
import brig.gateway.session.Access;
import brig.gateway.session.Session;
import brig.gateway.stream.Narrowing;
import brig.gateway.stream.Subscription;
import brig.protocol.ErrorCode;
import brig.protocol.StreamPosition;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A session on one response of server-sent events: the reader that feeds it, and its beat. Owned by the event loop. */
public final class EventStream implements Outlet.Writer {
    private final Door door;
    private final Session session;
    private final Access access;
    private final String epoch;
    private final Outlet outlet;
    private final EventSink sink;
    private final Subscription reader;
    private Runnable absence = () -> {};
    private Runnable unwatch = () -> {};
    private @Nullable Heart heart;

    /**
     * Joins the session's readers; {@link #begin} follows when the head of the response is written.
     *
     * @throws brig.protocol.BrigException {@code MAX_SUBSCRIPTIONS}
     */
    public EventStream(
            Door door, Session session, Access access, long from, @Nullable Narrowing narrowing, Outlet outlet) {
        this.door = door;
        this.session = session;
        this.access = access.asWatcher();
        this.epoch = session.spawn().log().epoch();
        this.outlet = outlet;
        this.sink = new EventSink(outlet);
        this.reader = session.subscribe(from, false, narrowing, sink);
    }

    /** Begins to read; a browser with a position of another epoch is told first that the stream begins again. */
    public void begin(Optional<StreamPosition> position, boolean presence) {
        outlet.add(this);
        position.filter(last -> !last.epoch().equals(epoch)).ifPresent(last -> sink.restart(last.seq(), epoch));
        absence = session.join(access, presence ? sink::presence : null);
        unwatch = door.watch(access, outlet);
        heart = new Heart(door.timers(), sink);
        reader.drain();
        sink.flush();
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

    /** The connection is gone, or will be. */
    public void close() {
        if (heart != null) {
            heart.stop();
            heart = null;
            absence.run();
            unwatch.run();
        }
        outlet.remove(this);
        reader.close();
    }
}
