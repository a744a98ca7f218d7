package brig.gateway.model;

import brig.gateway.http.Call;
import brig.gateway.listener.ListenerServices;
import brig.gateway.openai.Answer;
import brig.gateway.openai.AnswerHeader;
import brig.gateway.openai.AnswerSink;
import brig.gateway.openai.AskCall;
import brig.gateway.session.Session;
import brig.gateway.spawn.SessionAsks;
import brig.gateway.stream.Subscription;
import brig.gateway.time.Clock;
import brig.gateway.time.Timers;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** The answer to one turn, sent to its client. Owned by the event loop. */
final class Reply {
    private final ModelCall asked;
    private final Call call;
    private final ModelSession talk;
    private final String spawnId;
    private final WorktreeChanges changes;
    private final Timers timers;
    private final Clock clock;
    private final Answer answer;
    private final AnswerSink turn;
    private final Subscription reader;

    /**
     * @param from the first frame of the turn
     */
    Reply(
            ModelCall asked,
            Session session,
            ModelSession talk,
            long from,
            Clock clock,
            WorktreeChanges changes,
            Timers timers) {
        this.asked = asked;
        this.call = asked.call();
        this.talk = talk;
        this.spawnId = session.spawn().spawnId();
        this.changes = changes;
        this.timers = timers;
        this.clock = clock;
        AnswerHeader head = new AnswerHeader(
                spawnId + "_" + from, clock.nowMs() / 1000, asked.asked().agent());
        answer = asked.form().answer(call.response(), head);
        SessionAsks asks = session.spawn().asks();
        turn = new AnswerSink(
                answer, ask -> asked.asked().takesAsks() && asks.find(ask.askId()) != null, this::handleOver);
        reader = session.subscribe(from, true, null, 0, turn);
    }

    void begin() {
        call.response().drainHandler(room -> reader.drain());
        call.response().closeHandler(gone -> handleGone());
        talk.begin(ListenerServices.channel(call.request()));
        if (call.isGone()) {
            handleGone();
        }
        reader.drain();
    }

    /** The turn continues without a client: the session has cancelled it. */
    private void handleGone() {
        answer.close();
        turn.abandon();
        reader.drain();
    }

    private void handleOver(AnswerSink.End end) {
        // Deferred: not within the subscription's own callback.
        timers.after(1, reader::close);
        AskCall wanted = end.call();
        if (wanted != null) {
            long openMs = Math.max(0, wanted.ask().deadline() - clock.nowMs());
            talk.handleCalled(wanted.ask().askId(), end.nextSeq(), openMs + ModelSession.IDLE_MS);
            answer.call(wanted);
            answer.done(end.usage());
            return;
        }
        CompletionStage<String> left = asked.isInRepository() && !call.isGone()
                ? changes.after(spawnId, asked.apply())
                : CompletableFuture.completedFuture("");
        left.thenAccept(told -> {
            if (!call.isGone()) {
                tell(end, told);
            }
            talk.handleOver();
        });
    }

    private void tell(AnswerSink.End end, String left) {
        if (!left.isEmpty()) {
            answer.text(left);
        }
        if (end.failure() == null) {
            answer.done(end.usage());
        } else {
            answer.fail(end.failure());
        }
    }
}
