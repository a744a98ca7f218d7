package brig.workeragent.worker;

import brig.formats.adapter.FrameText;
import brig.formats.adapter.Frames;
import brig.protocol.BrigException;
import brig.protocol.Limits;
import brig.protocol.control.Fork;
import brig.protocol.control.Message;
import brig.protocol.egress.BudgetAmount;
import brig.protocol.egress.EgressEvent;
import brig.protocol.frame.Frame;
import brig.protocol.spawn.Budget;
import brig.protocol.wire.FrameType;
import brig.workeragent.budget.Budgets;
import brig.workeragent.pump.Outbox;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes Brig's own frames about a worker. None of them waits for a reader. */
final class WorkerFrames {
    private static final Logger LOG = LoggerFactory.getLogger(WorkerFrames.class);
    /** A sentence may quote text from outside; the length of a frame is limited. */
    private static final int ERROR_CHARACTERS_MAX = 4000;
    /** Room for the other fields of a frame with text. */
    private static final int TEXT_BYTES_MAX = Limits.FRAME_BYTES_MAX - 1024;

    private final String spawnId;
    private final Outbox outbox;
    private final Timers timers;
    private long unnamed;
    /** What the agent is told with its next message. */
    private @Nullable String summary;
    /** Written in the worker's sequence, read by any thread. */
    private volatile boolean working;

    WorkerFrames(String spawnId, Outbox outbox, Timers timers) {
        this.spawnId = spawnId;
        this.outbox = outbox;
        this.timers = timers;
    }

    /**
     * @param fork what the session begins with; null if it is no fork
     * @param conversation what its agent knows of that
     * @param told what its agent will be told of that with its first message; null for nothing
     */
    void running(@Nullable Fork fork, Frame.Forked.Conversation conversation, @Nullable String told) {
        summary = told;
        append(new Frame.State(Frame.State.RUNNING, null));
        if (fork != null) {
            append(new Frame.Forked(fork.from(), conversation, told));
        }
    }

    /** The agent is about to get a message; it gets it also if nothing can be kept. */
    void keep(WorkerPlan.@Nullable Keeper keeper) {
        if (keeper != null) {
            try {
                keeper.keep(outbox);
            } catch (BrigException e) {
                error(e);
            }
        }
    }

    /**
     * The turn of a message begins. A message without an id gets one with a dot, which captains cannot choose.
     *
     * @return what the agent is given
     */
    Message turnOf(Message message) {
        String name = message.id() == null ? "brig." + ++unnamed : message.id();
        String content = message.content();
        int at = 0;
        for (int end = FrameText.end(content, 0, TEXT_BYTES_MAX);
                end < content.length();
                end = FrameText.end(content, at, TEXT_BYTES_MAX)) {
            append(new Frame.Message(name, content.substring(at, end), true, null, null));
            at = end;
        }
        append(new Frame.Message(name, content.substring(at), false, message.by(), message.via()));
        working = true;
        Message given = message.after(summary);
        summary = null;
        return given;
    }

    /** The turn is over. */
    void turnOver() {
        working = false;
    }

    boolean isWorking() {
        return working;
    }

    /** A message was accepted, now or earlier; not reported for a message without an id. */
    void accepted(Message message) {
        if (message.id() != null) {
            append(new Frame.Accepted(message.id()));
        }
    }

    /** A message was refused. */
    void refused(BrigException e, Message message) {
        append(Frame.Failure.of(e, message.id()));
        LOG.info("refused a message spawn_id={} code={}", spawnId, e.code());
    }

    void error(BrigException e) {
        String text = e.getMessage();
        if (text.length() > ERROR_CHARACTERS_MAX) {
            text = text.substring(0, ERROR_CHARACTERS_MAX);
        }
        append(new Frame.Failure(text, e.code().name()));
        LOG.info("error spawn_id={} code={}", spawnId, e.code());
    }

    void done(int exitCode, @Nullable String signal, @Nullable String reason) {
        append(new Frame.Done(exitCode, signal, reason, null));
        working = false;
        LOG.info("done spawn_id={} exit_code={} signal={} reason={}", spawnId, exitCode, signal, reason);
    }

    /** What its budget is; nothing is used up yet. */
    void budget(Budgets.Terms terms) {
        Budget own = terms.own();
        Long wallMs = terms.wallMs() == 0 ? null : Long.valueOf(terms.wallMs());
        BudgetAmount limit = new BudgetAmount(own.usd(), own.tokens(), own.egressBytes(), wallMs);
        if (!limit.equals(BudgetAmount.NONE)) {
            budget(0, limit.none(), limit);
        }
    }

    /** A part of the time of its budget is over. */
    void time(int percent, long usedMs, long wallMs) {
        budget(percent, new BudgetAmount(null, null, null, usedMs), new BudgetAmount(null, null, null, wallMs));
    }

    private void budget(int percent, BudgetAmount used, BudgetAmount limit) {
        append(new Frame.Budget(
                new EgressEvent.Budget(
                        percent, EgressEvent.Budget.Scope.SESSION, null, used, BudgetAmount.NONE, limit, null),
                0));
    }

    /** The last frame. */
    void terminated(EndReason reason) {
        outbox.appendLast(
                FrameType.STATE,
                Frames.body(timers.nowMs(), new Frame.State(Frame.State.TERMINATED, reason.wireName())));
        LOG.info("terminated spawn_id={} reason={}", spawnId, reason);
    }

    private void append(Frame frame) {
        outbox.appendNow(frame.type(), Frames.body(timers.nowMs(), frame));
    }
}
