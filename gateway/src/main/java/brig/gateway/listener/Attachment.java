package brig.gateway.listener;

import brig.gateway.session.Role;
import brig.gateway.session.Session;
import brig.gateway.stream.Subscription;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Fields;
import brig.protocol.Limits;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One session on one connection: the reader that feeds it and the messages that come from it. Made when the connection
 * may read, closed when the connection is gone. Owned by the event loop.
 */
final class Attachment implements Outlet.Writer {
    private final Session session;
    private final Role role;
    private final TextSink sink;
    private final Outlet outlet;
    private final Subscription reader;

    /**
     * Joins the session's readers; {@link #begin} follows when the connection knows its attachment.
     *
     * @throws BrigException {@code SESSION_NOT_READY}, {@code MAX_SUBSCRIPTIONS}
     */
    Attachment(Session session, Role allowed, Wish wish, TextSink sink, Outlet outlet) {
        this.session = session;
        this.role = wish.watchOnly() ? Role.WATCHER : allowed;
        this.sink = sink;
        this.outlet = outlet;
        session.requireAttachable();
        long from = session.spawn().log().resumePoint(wish.from());
        this.reader = session.subscribe(from, role == Role.CAPTAIN, sink);
    }

    /** Says welcome and begins to read. */
    void begin() {
        outlet.add(this);
        sink.writeLine(session.welcome(role, reader.nextSeq()));
        reader.drain();
        sink.flush();
    }

    /** What a connection asks for when it attaches: the first frame, and less than its token allows, if it wants. */
    record Wish(long from, boolean watchOnly) {
        static Wish read(Fields fields) {
            boolean watchOnly = switch (fields.text("role", "captain")) {
                case "captain" -> false;
                case "watcher" -> true;
                default -> throw Fields.invalid("role", "must be \"captain\" or \"watcher\"");
            };
            return new Wish(fields.number("from", 1, Limits.SEQ_MAX, 1), watchOnly);
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
            sink.refuse(refusal);
        }
        sink.flush();
    }

    @Override
    public void drain() {
        reader.drain();
    }

    @Override
    public void leave(ErrorCode why) {
        close();
        sink.leave(why, session.spawn().log().epoch(), reader.nextSeq());
    }

    /** The connection is gone, or does not want this session any more. */
    void close() {
        outlet.remove(this);
        reader.close();
    }
}
