package brig.gateway.connection;

import brig.gateway.auth.Access;
import brig.gateway.session.Session;
import brig.gateway.stream.AgentFilter;
import brig.gateway.stream.Subscription;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.Role;
import brig.protocol.frame.AttachOptions;
import brig.protocol.frame.CaptainLine;
import brig.protocol.frame.ConnectionLine;
import brig.protocol.json.JsonObject;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One session on one connection: the subscription that feeds it and the messages that come from it. Created when the
 * connection may read, closed when the connection is gone. Owned by the event loop.
 *
 * <p>Decision 0029.
 */
public final class Attachment implements ConnectionWriter.Writer {
    private static final int ANSWERS_MAX = 64;

    private final Session session;
    private final Access access;
    private final TextSink sink;
    private final ConnectionWriter writer;
    private final Subscription subscription;
    private final boolean presence;
    private final String via;
    /** Answers to asks that are on their way. */
    private int undecided;

    private Runnable absence = () -> {};
    private Runnable unwatch = () -> {};

    /**
     * Subscribes to the session; call {@link #begin} when the connection knows its attachment.
     *
     * @param allowed the access within that session
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
        this.subscription = session.subscribe(
                from, role() == Role.CAPTAIN, AgentFilter.read(options.agent()), options.maxLatencyMs(), sink);
    }

    private Role role() {
        return access.connectionRole();
    }

    /**
     * Sends the welcome and begins to read.
     *
     * @param unwatch run when the connection is gone, to stop watching its token
     */
    public void begin(Runnable unwatch) {
        writer.add(this);
        sink.tell(session.welcome(role(), subscription.nextSeq()));
        absence = session.join(access, presence ? this::handlePresence : null);
        this.unwatch = unwatch;
        subscription.drain();
        sink.flush();
    }

    private void handlePresence(ConnectionLine.Presence line) {
        // The line reports a state, not an event: if a slow subscriber misses one, the next one replaces it.
        if (sink.hasRoom()) {
            sink.tell(line);
            sink.flush();
        }
    }

    /**
     * The options of a connection: the first frame wanted, reduced rights, presence, the only agent wanted, if
     * any, and how long text may wait to be merged.
     *
     * @param via the interface that its messages come by
     */
    public record Options(
            long from,
            boolean watchOnly,
            boolean presence,
            @Nullable String agent,
            long maxLatencyMs,
            String via) {
        /** @param way the kind of connection, the default {@code via} of its messages */
        public static Options of(AttachOptions asked, String way) {
            return new Options(
                    asked.from() == 0 ? 1 : asked.from(),
                    asked.watchOnly(),
                    asked.presence(),
                    asked.agent(),
                    asked.maxLatencyMs(),
                    asked.client() == null ? way : asked.client());
        }
    }

    /** Handles a message from the connection; a refusal is answered and has no other effect. */
    public void handleMessage(JsonObject message) {
        boolean isAnswer = "answer_ask".equals(message.value("action"));
        String askId = isAnswer && message.value("ask_id") instanceof String id && Ids.isAskId(id) ? id : null;
        handle(() -> session.read(access, message), askId);
    }

    /** Handles a task for the agent. */
    public void handleUserMessage(String content, @Nullable String messageId) {
        handle(
                () -> {
                    access.requireCaptain();
                    return CaptainLine.UserMessage.of(content, messageId);
                },
                null);
    }

    /** Handles a line that was already parsed. */
    public void handleOrder(CaptainLine.Order order) {
        handle(() -> order, order instanceof CaptainLine.AnswerAsk answer ? answer.askId() : null);
    }

    /** @param askId the ask that the line answers, which a refusal names; null for none */
    private void handle(Supplier<CaptainLine.Order> line, @Nullable String askId) {
        try {
            carryOut(line.get(), askId);
        } catch (BrigException refusal) {
            sink.refuse(refusal.withAskId(askId));
        }
        sink.flush();
    }

    private void carryOut(CaptainLine.Order order, @Nullable String askId) {
        if (askId != null && undecided == ANSWERS_MAX) {
            throw new BrigException(
                    ErrorCode.INPUT_NOT_ACCEPTED, ANSWERS_MAX + " answers of this connection are undecided", 1);
        }
        if (order instanceof CaptainLine.AtTerminal here) {
            session.handleTerminal(access, here, this);
            return;
        }
        CompletionStage<? extends ConnectionLine> told = session.handleOrder(access, order, false, via);
        if (told == null) {
            return;
        }
        undecided++;
        told.whenComplete((line, failure) -> {
            undecided--;
            if (failure == null) {
                sink.tell(line);
            } else {
                sink.refuse(Problem.refusal(failure).withAskId(askId));
            }
            sink.flush();
        });
    }

    /** The client is done with the frames up to that one. */
    public void handleAck(long seq) {
        sink.handleAck(seq);
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
        sink.leave(why, session.spawn().log().epoch(), subscription.nextSeq());
    }

    /** The connection is gone, or has unsubscribed. */
    public void close() {
        writer.remove(this);
        subscription.close();
        session.leaveTerminal(this);
        absence.run();
        absence = () -> {};
        unwatch.run();
    }
}
