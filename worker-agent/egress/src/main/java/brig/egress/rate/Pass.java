package brig.egress.rate;

import io.netty.handler.codec.http.HttpHeaders;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** One request at a gate: it waits, goes through, is answered and ends. Called by the thread of its worker. */
public final class Pass {
    /** The request. Called by {@link #enter} if it does not wait, and otherwise by the executor. */
    public interface Listener {
        /** It may go out. */
        void handleThrough();

        /** It waited too long, or too much waits. */
        void handleTurnedAway(long retryAfterMs);
    }

    enum State {
        NEW,
        WAITING,
        THROUGH,
        OVER
    }

    private final RouteGate gate;
    private final Object worker;
    private final Executor executor;
    private final Listener listener;

    // State owned by the gate.
    private volatile State state = State.NEW;
    private @Nullable Runnable deadline;
    private long generation;

    Pass(RouteGate gate, Object worker, Executor executor, Listener listener) {
        this.gate = gate;
        this.worker = worker;
        this.executor = executor;
        this.listener = listener;
    }

    /** Asks to go through. @return whether it waits */
    public boolean enter() {
        return gate.enter(this);
    }

    /** The head of the provider's answer came. */
    public void handleAnswer(int status, HttpHeaders headers) {
        if (state == State.THROUGH) {
            gate.handleAnswer(this, status, headers);
        }
    }

    /** The request is over, or who sent it is gone. Idempotent. */
    public void end() {
        if (state != State.OVER) {
            gate.handleEnd(this);
        }
    }

    Object worker() {
        return worker;
    }

    Listener listener() {
        return listener;
    }

    State state() {
        return state;
    }

    /** How many closings of the gate it knows of. */
    long generation() {
        return generation;
    }

    void becomeWaiting(Runnable cancelDeadline) {
        state = State.WAITING;
        deadline = cancelDeadline;
    }

    void becomeThrough(long closings) {
        generation = closings;
        become(State.THROUGH);
    }

    void becomeOver() {
        become(State.OVER);
    }

    private void become(State next) {
        state = next;
        if (deadline != null) {
            deadline.run();
            deadline = null;
        }
    }

    void tellThrough() {
        executor.execute(listener::handleThrough);
    }

    void tellTurnedAway(long retryAfterMs) {
        executor.execute(() -> listener.handleTurnedAway(retryAfterMs));
    }
}
