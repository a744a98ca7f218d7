package brig.workeragent.worker;

import brig.formats.adapter.Asks;
import brig.formats.adapter.FrameText;
import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.NewestMap;
import brig.protocol.control.AnswerChoice;
import brig.protocol.frame.Frame;
import brig.workeragent.pump.Outbox;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The open asks of one worker. Each is settled once: by the first answer, its deadline, the agent or its end. The
 * deadline is kept here, beside the agent, so that no ask outlives it even without a gateway. Thread-safe.
 *
 * <p>Decision 0149.
 */
final class OpenAsks implements Asks {
    static final int OPEN_MAX = 64;
    /** How many settled asks are remembered, for whoever answers too late. */
    static final int SETTLED_MAX = 256;

    static final int DETAIL_BYTES_MAX = 16 * 1024;
    private static final int TITLE_BYTES_MAX = 1024;
    private static final int NAME_BYTES_MAX = 512;
    private static final Logger LOG = LoggerFactory.getLogger(OpenAsks.class);

    /** Learns how an ask ended. */
    interface Listener {
        /** @param waits whether an answer is still waited for; an ask without one gets its default then */
        void handleSettled(Frame.Answered answered, boolean waits);
    }

    /** What became of a request. */
    enum Taken {
        OPENED,
        /** An ask under its id is open already. */
        KNOWN,
        REFUSED
    }

    /** An open ask. Mutable fields are guarded by the lock. */
    private static final class Open {
        final Frame.Ask ask;
        final Listener listener;
        Timers.@Nullable Timer deadline;
        /** Whether its frame is in the stream. */
        boolean shown;
        /** Its settlement, if that came before its frame was in the stream. */
        Frame.@Nullable Answered early;

        Open(Frame.Ask ask, Listener listener) {
            this.ask = ask;
            this.listener = listener;
        }
    }

    private record Settled(Frame.Answered answered, long atMs) {}

    private final String spawnId;
    private final Outbox outbox;
    private final Timers timers;
    private final long waitMs;
    private final ReentrantLock lock = new ReentrantLock();

    // Guarded by the lock.
    private final Map<String, Open> open = new LinkedHashMap<>();
    private final Map<String, Settled> settled = new NewestMap<>(SETTLED_MAX);

    private boolean closed;

    /** @param waitMs how long an ask of the agent stays open */
    OpenAsks(String spawnId, Outbox outbox, Timers timers, long waitMs) {
        this.spawnId = spawnId;
        this.outbox = outbox;
        this.timers = timers;
        this.waitMs = waitMs;
    }

    @Override
    public void open(Request request, Consumer<Reply> reply) throws InterruptedException {
        Open asked = new Open(ask(request, waitMs), (answered, waits) -> {
            if (waits) {
                reply.accept(reply(answered, request.fallback()));
            }
        });
        String refusal = add(asked, waitMs);
        if (refusal != null) {
            Frame.Failure said = failure(refusal, request);
            byte[] body = Frames.body(timers.nowMs(), said);
            outbox.append(said.type(), body, body.length);
            reply.accept(new Reply(request.fallback(), null));
            return;
        }
        byte[] body = Frames.body(timers.nowMs(), asked.ask);
        outbox.append(asked.ask.type(), body, body.length);
        lock.lock();
        try {
            asked.shown = true;
            if (asked.early != null) {
                write(asked.early);
            }
        } finally {
            lock.unlock();
        }
        logAsked(asked.ask);
    }

    /**
     * Asks without waiting for the reader. Where its frame has no room, the ask is refused: the agent can cause any
     * number.
     *
     * @param openMs how long it stays open
     */
    Taken openNow(Request request, long openMs, Listener listener) {
        Open asked = new Open(ask(request, openMs), listener);
        lock.lock();
        try {
            if (isOpen(asked.ask)) {
                return Taken.KNOWN;
            }
            String refusal = closed ? "the worker ended" : add(asked, openMs);
            if (refusal != null) {
                Frame.Failure said = failure(refusal, request);
                outbox.offer(said.type(), Frames.body(timers.nowMs(), said));
                return Taken.REFUSED;
            }
            if (!outbox.offer(asked.ask.type(), Frames.body(timers.nowMs(), asked.ask))) {
                forget(asked);
                return Taken.REFUSED;
            }
            asked.shown = true;
        } finally {
            lock.unlock();
        }
        logAsked(asked.ask);
        return Taken.OPENED;
    }

    private void logAsked(Frame.Ask ask) {
        LOG.debug("asked spawn_id={} ask_id={} kind={}", spawnId, ask.askId(), ask.kind());
    }

    private static Frame.Failure failure(String refusal, Request request) {
        return new Frame.Failure(refusal, ErrorCode.MAX_ASKS.name(), request.agent(), null);
    }

    private static Reply reply(Frame.Answered answered, String fallback) {
        return answered.option() == null && answered.text() == null
                ? new Reply(fallback, null)
                : new Reply(answered.option(), answered.text());
    }

    private Frame.Ask ask(Request request, long openMs) {
        long now = timers.nowMs();
        return new Frame.Ask(
                Ids.newAskId(now),
                request.kind(),
                cut(request.agent()),
                FrameText.cut(request.nativeId(), NAME_BYTES_MAX),
                cut(request.tool()),
                FrameText.cut(request.title(), TITLE_BYTES_MAX),
                FrameText.fit(request.detail(), DETAIL_BYTES_MAX),
                request.options(),
                request.text(),
                now + openMs,
                request.fallback());
    }

    private static @Nullable String cut(@Nullable String name) {
        return name == null ? null : FrameText.cut(name, NAME_BYTES_MAX);
    }

    /** Registers an ask and starts its deadline; otherwise says why it cannot wait. */
    private @Nullable String add(Open asked, long openMs) {
        lock.lock();
        try {
            if (open.size() >= OPEN_MAX) {
                return OPEN_MAX + " requests of the agent wait for an answer already: '" + asked.ask.title()
                        + "' got the answer '" + asked.ask.fallback() + "'";
            }
            if (isOpen(asked.ask)) {
                return "the agent asked twice under one id: the second got the answer '" + asked.ask.fallback() + "'";
            }
            open.put(asked.ask.askId(), asked);
            asked.deadline = timers.schedule(openMs, () -> handleDeadline(asked));
            return null;
        } finally {
            lock.unlock();
        }
    }

    private boolean isOpen(Frame.Ask ask) {
        return find(ofBrig(ask), ask.nativeId()).isPresent();
    }

    /** Whether Brig asks, not the agent: for a host, more of a budget, or a login. */
    private static boolean ofBrig(Frame.Ask ask) {
        return ask.kind() == Frame.Ask.Kind.EGRESS
                || ask.kind() == Frame.Ask.Kind.SPEND
                || ask.kind() == Frame.Ask.Kind.LOGIN;
    }

    /** The open ask with that id. The ids of an agent are apart from those of Brig's own asks. */
    private Optional<Open> find(boolean ofBrig, @Nullable String nativeId) {
        return open.values().stream()
                .filter(other -> ofBrig(other.ask) == ofBrig && Objects.equals(other.ask.nativeId(), nativeId))
                .findFirst();
    }

    private void handleDeadline(Open asked) {
        Frame.Answered answered =
                new Frame.Answered(asked.ask.askId(), asked.ask.fallback(), Frame.Answered.Reason.DEADLINE);
        if (settle(asked, answered)) {
            asked.listener.handleSettled(answered, true);
        }
    }

    /**
     * Gives the first answer to whoever asked.
     *
     * @return the ask
     * @throws BrigException {@code NOT_FOUND}; {@code ASK_SETTLED}, which says by whom; {@code INVALID_FIELD} for an
     *     option that was not offered, or a text that is not wanted; {@code FORBIDDEN} for one that is for admins
     */
    Frame.Ask answer(String askId, AnswerChoice choice) {
        Open asked = find(askId);
        String option = choice.option();
        if (option == null && !asked.ask.text()) {
            throw BrigException.invalid("text", "is no answer to this ask: choose one of " + ids(asked.ask));
        }
        if (option != null && !asked.ask.offers(option)) {
            throw BrigException.invalid("option", "must be one of " + ids(asked.ask));
        }
        EgressAsks.requireMay(asked.ask, choice);
        SpendAsks.requireMay(asked.ask, choice);
        Frame.Answered answered = new Frame.Answered(
                askId, option, choice.text(), choice.by(), choice.via(), Frame.Answered.Reason.PERSON);
        if (!settle(asked, answered)) {
            find(askId);
        }
        asked.listener.handleSettled(answered, true);
        return asked.ask;
    }

    private static List<String> ids(Frame.Ask ask) {
        return ask.options().stream().map(Frame.Ask.Option::id).toList();
    }

    private Open find(String askId) {
        lock.lock();
        try {
            Open found = open.get(askId);
            if (found != null) {
                return found;
            }
            Settled earlier = settled.get(askId);
            throw earlier == null
                    ? new BrigException(ErrorCode.NOT_FOUND, "the session has no open ask with that ask_id")
                    : new BrigException(ErrorCode.ASK_SETTLED, sentence(earlier));
        } finally {
            lock.unlock();
        }
    }

    private static String sentence(Settled earlier) {
        Frame.Answered answered = earlier.answered();
        String how = switch (answered.reason()) {
            case PERSON ->
                answered.by() == null ? "a person answered it" : answered.by() + " answered it over " + answered.via();
            case POLICY -> "a rule answered it";
            case DEADLINE -> "it reached its deadline";
            case WITHDRAWN -> "the agent withdrew it";
            case ENDED -> "the agent ended, or its turn was cancelled";
            case null -> "it is settled";
        };
        return how + " at " + Instant.ofEpochMilli(earlier.atMs())
                + (answered.option() == null ? "" : ": " + answered.option());
    }

    @Override
    public void withdraw(String nativeId) {
        lock.lock();
        try {
            find(false, nativeId).ifPresent(asked -> settle(asked, unanswered(asked, Frame.Answered.Reason.WITHDRAWN)));
        } finally {
            lock.unlock();
        }
    }

    /** Settles an ask without telling its listener. @return false if it was settled before */
    boolean settle(String askId, Frame.Answered answered) {
        Open asked;
        lock.lock();
        try {
            asked = open.get(askId);
        } finally {
            lock.unlock();
        }
        return asked != null && settle(asked, answered);
    }

    /**
     * Settles all that the agent waits for: the turn was cancelled, or the process ended. What the session may use up is
     * asked whatever the agent does.
     *
     * @param waits whether the agent still waits for answers
     */
    void endAll(boolean waits) {
        end(
                all().stream()
                        .filter(asked -> asked.ask.kind() != Frame.Ask.Kind.SPEND)
                        .toList(),
                waits);
    }

    private void end(List<Open> over, boolean waits) {
        for (Open asked : over) {
            Frame.Answered ended = unanswered(asked, Frame.Answered.Reason.ENDED);
            if (settle(asked, ended)) {
                asked.listener.handleSettled(ended, waits);
            }
        }
    }

    /** Settles all; none opens after this. Called before the last frame. */
    void close() {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        end(all(), false);
    }

    private static Frame.Answered unanswered(Open asked, Frame.Answered.Reason why) {
        return new Frame.Answered(asked.ask.askId(), null, why);
    }

    /** The open asks, the oldest first. */
    List<Frame.Ask> list() {
        return all().stream().map(asked -> asked.ask).toList();
    }

    private List<Open> all() {
        lock.lock();
        try {
            return new ArrayList<>(open.values());
        } finally {
            lock.unlock();
        }
    }

    /** Settles an ask; false if it was settled before. */
    private boolean settle(Open asked, Frame.Answered answered) {
        lock.lock();
        try {
            if (!open.remove(asked.ask.askId(), asked)) {
                return false;
            }
            settled.put(asked.ask.askId(), new Settled(answered, timers.nowMs()));
            forget(asked);
            if (asked.shown) {
                write(answered);
            } else {
                asked.early = answered;
            }
            return true;
        } finally {
            lock.unlock();
        }
    }

    private void forget(Open asked) {
        open.remove(asked.ask.askId());
        if (asked.deadline != null) {
            asked.deadline.cancel();
        }
    }

    /** An ask's end never waits: it must not depend on a reader. */
    private void write(Frame.Answered answered) {
        outbox.appendNow(answered.type(), Frames.body(timers.nowMs(), answered));
        LOG.debug(
                "settled spawn_id={} ask_id={} option={} reason={} by={} via={}",
                spawnId,
                answered.askId(),
                answered.option(),
                answered.reason(),
                answered.by(),
                answered.via());
    }
}
