package brig.gateway.listener;

import brig.gateway.session.Role;
import brig.gateway.session.Session;
import brig.gateway.stream.Subscription;
import brig.protocol.BrigException;
import brig.protocol.Fields;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One session on one connection: the reader that feeds it and the messages that come from it. Made when the connection
 * may read, closed when the connection is gone. Owned by the event loop.
 */
final class Attachment {
    private final Session session;
    private final Role role;
    private final TextSink sink;
    private final Outlet outlet;
    private final Subscription reader;
    private final Runnable drain;

    /**
     * Joins the session's readers; {@link #begin} follows when the connection knows its attachment.
     *
     * @throws BrigException {@code SESSION_NOT_READY}, {@code MAX_SUBSCRIPTIONS}
     */
    Attachment(Session session, Role role, Wish wish, TextSink sink, Outlet outlet) {
        this.session = session;
        this.role = role;
        this.sink = sink;
        this.outlet = outlet;
        session.requireAttachable();
        long from = session.spawn().log().resumePoint(wish.from());
        this.reader = session.subscribe(from, wish.tethered() && role == Role.CAPTAIN, sink);
        this.drain = reader::drain;
    }

    /** Says welcome and begins to read. */
    void begin() {
        outlet.add(drain);
        sink.writeLine(session.welcome(role, reader.nextSeq()));
        reader.drain();
        sink.flush();
    }

    /** What a connection asks for when it attaches: the first frame, and whether it may hold the worker back. */
    record Wish(long from, boolean tethered) {
        static Wish read(Fields fields) {
            return new Wish(fields.number("from", 1, Long.MAX_VALUE, 1), !fields.has("tethered") || fields.flag("tethered"));
        }
    }

    /** A message from the connection; a refusal is answered and changes nothing. */
    void handleMessage(Fields message) {
        try {
            @Nullable Map<String, ?> answer = session.handleMessage(role, message);
            if (answer != null) {
                sink.writeLine(answer);
            }
        } catch (BrigException refusal) {
            sink.notice(refusal.code(), refusal.getMessage());
        }
        sink.flush();
    }

    /** The connection is gone, or does not want this session any more. */
    void close() {
        outlet.remove(drain);
        reader.close();
    }
}
