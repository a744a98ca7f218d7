package brig.workeragent.worker;

import brig.formats.adapter.Asks;
import brig.formats.adapter.FrameText;
import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.ErrorCode;
import brig.protocol.Ids;
import brig.protocol.control.AnswerChoice;
import brig.protocol.control.AskAnswer;
import brig.protocol.frame.Frame;
import brig.workeragent.pump.Outbox;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
    private static final int NAME_BYTES_MAX = 256;
    private static final Logger LOG = LoggerFactory.getLogger(OpenAsks.class);

    /** An open ask. Mutable fields are guarded by the lock. */
    private static final class Open {
        final Frame.Ask ask;
        final Consumer<Reply> reply;
        Timers.@Nullable Timer deadline;
        /** Whether its frame is in the stream. */
        boolean shown;
        /** Its settlement, if that came before its frame was in the stream. */
        Frame.@Nullable Answered early;

        Open(Frame.Ask ask, Consumer<Reply> reply) {
            this.ask = ask;
            this.reply = reply;
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
    private final Map<String, Settled> settled = new LinkedHashMap<>() {
        private static final long serialVersionUID = 1;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, Settled> eldest) {
            return size() > SETTLED_MAX;
        }
    };

    /** @param waitMs how long an ask stays open */
    OpenAsks(String spawnId, Outbox outbox, Timers timers, long waitMs) {
        this.spawnId = spawnId;
        this.outbox = outbox;
        this.timers = timers;
        this.waitMs = waitMs;
    }

    @Override
    public void open(Request request, Consumer<Reply> reply) throws InterruptedException {
        Open asked = new Open(ask(request), reply);
        String refusal = add(asked);
        if (refusal != null) {
            Frame.Failure said = new Frame.Failure(refusal, ErrorCode.MAX_ASKS.name(), request.agent(), null);
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
        LOG.info("asked spawn_id={} ask_id={} kind={}", spawnId, asked.ask.askId(), asked.ask.kind());
    }

    private Frame.Ask ask(Request request) {
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
                now + waitMs,
                request.fallback());
    }

    private static @Nullable String cut(@Nullable String name) {
        return name == null ? null : FrameText.cut(name, NAME_BYTES_MAX);
    }

    /** Registers an ask and starts its deadline; otherwise says why it cannot wait. */
    private @Nullable String add(Open asked) {
        lock.lock();
        try {
            if (open.size() >= OPEN_MAX) {
                return OPEN_MAX + " requests of the agent wait for an answer already: '" + asked.ask.title()
                        + "' got the answer '" + asked.ask.fallback() + "'";
            }
            if (open.values().stream().anyMatch(other -> Objects.equals(other.ask.nativeId(), asked.ask.nativeId()))) {
                return "the agent asked twice under one id: the second got the answer '" + asked.ask.fallback() + "'";
            }
            open.put(asked.ask.askId(), asked);
            asked.deadline = timers.schedule(waitMs, () -> handleDeadline(asked));
            return null;
        } finally {
            lock.unlock();
        }
    }

    private void handleDeadline(Open asked) {
        Frame.Answered answered = new Frame.Answered(
                asked.ask.askId(), asked.ask.fallback(), null, null, null, Frame.Answered.Reason.DEADLINE);
        if (settle(asked, answered)) {
            reply(asked, answered);
        }
    }

    /**
     * Gives the first answer to the agent.
     *
     * @throws BrigException {@code NOT_FOUND}; {@code ASK_SETTLED}, which says by whom; {@code INVALID_FIELD} for an
     *     option that was not offered, or a text that is not wanted
     */
    AskAnswer answer(String askId, AnswerChoice choice) {
        Open asked = find(askId);
        String option = choice.option();
        if (option == null && !asked.ask.text()) {
            throw BrigException.invalid("text", "is no answer to this ask: choose one of " + ids(asked.ask));
        }
        if (option != null && !asked.ask.offers(option)) {
            throw BrigException.invalid("option", "must be one of " + ids(asked.ask));
        }
        Frame.Answered answered = new Frame.Answered(
                askId, option, choice.text(), choice.by(), choice.via(), Frame.Answered.Reason.PERSON);
        if (!settle(asked, answered)) {
            find(askId);
        }
        reply(asked, answered);
        return new AskAnswer(askId, option, choice.text());
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
            case PERSON -> answered.by() + " answered it over " + answered.via();
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
        Open asked = null;
        lock.lock();
        try {
            for (Open other : open.values()) {
                asked = nativeId.equals(other.ask.nativeId()) ? other : asked;
            }
        } finally {
            lock.unlock();
        }
        if (asked != null) {
            settle(asked, unanswered(asked, Frame.Answered.Reason.WITHDRAWN));
        }
    }

    /**
     * Settles all: the turn was cancelled, or the process ended.
     *
     * @param waits whether the agent still waits for answers
     */
    void endAll(boolean waits) {
        for (Open asked : all()) {
            if (settle(asked, unanswered(asked, Frame.Answered.Reason.ENDED)) && waits) {
                asked.reply.accept(new Reply(asked.ask.fallback(), null));
            }
        }
    }

    private static Frame.Answered unanswered(Open asked, Frame.Answered.Reason why) {
        return new Frame.Answered(asked.ask.askId(), null, null, null, null, why);
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
            if (asked.deadline != null) {
                asked.deadline.cancel();
            }
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

    /** An ask's end never waits: it must not depend on a reader. */
    private void write(Frame.Answered answered) {
        outbox.appendNow(answered.type(), Frames.body(timers.nowMs(), answered));
        LOG.info(
                "settled spawn_id={} ask_id={} option={} reason={} by={} via={}",
                spawnId,
                answered.askId(),
                answered.option(),
                answered.reason(),
                answered.by(),
                answered.via());
    }

    private static void reply(Open asked, Frame.Answered answered) {
        asked.reply.accept(new Reply(answered.option(), answered.text()));
    }
}
