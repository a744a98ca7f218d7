package brig.gateway.connection;

import brig.gateway.auth.Access;
import brig.gateway.session.Session;
import brig.gateway.stream.AgentFilter;
import brig.gateway.stream.Subscription;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Limits;
import brig.protocol.Role;
import brig.protocol.json.Fields;
import java.util.Map;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * One session on one connection: the reader that feeds it and the messages that come from it. Made when the connection
 * may read, closed when the connection is gone. Owned by the event loop.
 *
 * <p>Decision 0029.
 */
public final class Attachment implements ConnectionWriter.Writer {
    private static final Pattern CLIENT = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    private final Session session;
    private final Access access;
    private final TextSink sink;
    private final ConnectionWriter writer;
    private final Subscription reader;
    private final boolean presence;
    private final String via;
    private Runnable absence = () -> {};
    private Runnable unwatch = () -> {};

    /**
     * Joins the session's readers; {@link #begin} follows when the connection knows its attachment.
     *
     * @param allowed as it counts in that session
     * @throws BrigException {@code SESSION_NOT_READY}, {@code MAX_SUBSCRIPTIONS}
     */
    public Attachment(Session session, Access allowed, Options options, TextSink sink, ConnectionWriter writer) {
        this.session = session;
        this.access = options.watchOnly() ? allowed.asWatcher() : allowed;
        this.sink = sink;
        this.writer = writer;
        this.presence = options.presence();
        this.via = options.via();
        session.requireAttachable();
        long from = session.spawn().log().resumePoint(options.from());
        this.reader = session.subscribe(from, role() == Role.CAPTAIN, AgentFilter.read(options.agent()), sink);
    }

    private Role role() {
        return access.role() == Role.WATCHER ? Role.WATCHER : Role.CAPTAIN;
    }

    /**
     * Says welcome and begins to read.
     *
     * @param unwatch to be run when the connection is gone: nobody needs to tell it any more that its token is revoked
     */
    public void begin(Runnable unwatch) {
        writer.add(this);
        sink.writeLine(session.welcome(role(), reader.nextSeq()));
        absence = session.join(access, presence ? this::handlePresence : null);
        this.unwatch = unwatch;
        reader.drain();
        sink.flush();
    }

    private void handlePresence(Map<String, Object> line) {
        // It says how things are, not what happened: one that a slow reader misses is mended by the next.
        if (sink.isWritable()) {
            sink.writeLine(line);
            sink.flush();
        }
    }

    /**
     * What a connection asks for: the first frame, less than its token allows, to be told who is there, and the frames of
     * one agent only, where one is named.
     *
     * @param via the way by which its messages come
     */
    public record Options(
            long from,
            boolean watchOnly,
            boolean presence,
            @Nullable String agent,
            String via) {
        /**
         * Reads it from the line that opens the connection.
         *
         * @param way the kind of the connection
         * @throws BrigException {@code INVALID_FIELD}
         */
        public static Options read(Fields fields, String way) {
            boolean watchOnly = switch (fields.text("role", "captain")) {
                case "captain" -> false;
                case "watcher" -> true;
                default -> throw Fields.invalid("role", "must be \"captain\" or \"watcher\"");
            };
            return new Options(
                    fields.number("from", 1, Limits.SEQ_MAX, 1),
                    watchOnly,
                    fields.flag("presence"),
                    fields.text("agent"),
                    via(fields, way));
        }

        /** The program that is behind the connection, where it names itself, or else the kind of the connection. */
        public static String via(Fields fields, String way) {
            String client = fields.text("client", way);
            if (!CLIENT.matcher(client).matches()) {
                throw Fields.invalid("client", "must match " + CLIENT);
            }
            return client;
        }
    }

    /** A message from the connection; a refusal is answered and changes nothing. */
    public void handleMessage(Fields message) {
        try {
            @Nullable Map<String, ?> answer = session.handleMessage(access, message, false, via);
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
    public void close() {
        writer.remove(this);
        reader.close();
        absence.run();
        absence = () -> {};
        unwatch.run();
    }
}
