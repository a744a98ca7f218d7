package brig.formats.adapter;

import brig.formats.adapter.Adapter.Context;
import brig.protocol.frame.Frame;
import brig.protocol.frame.TokenUsage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The agent's turn on a message. The sender of the message begins it; the thread that reads standard output ends it. An
 * end without a beginning is ignored, as agents also take turns of their own accord.
 */
public final class AgentTurn {
    private enum State {
        IDLE,
        RUNNING,
        CANCELLED
    }

    private final AtomicReference<State> state = new AtomicReference<>(State.IDLE);
    private final AgentFrames frames;
    private final Runnable done;
    private final @Nullable AgentActivity activity;

    public AgentTurn(AgentFrames frames, Context context) {
        this(frames, context.turnDone(), null);
    }

    /** For an agent that another program controls. */
    public AgentTurn(AgentFrames frames) {
        this(frames, () -> {}, null);
    }

    /** For an agent on a terminal: the end of a turn is no frame, but a change of its activity. */
    public AgentTurn(AgentFrames frames, AgentActivity activity) {
        this(frames, () -> {}, activity);
    }

    private AgentTurn(AgentFrames frames, Runnable done, @Nullable AgentActivity activity) {
        this.frames = frames;
        this.done = done;
        this.activity = activity;
    }

    public void begin() {
        state.set(State.RUNNING);
    }

    /** Undoes the beginning: the message could not be sent. */
    public void retract() {
        state.set(State.IDLE);
    }

    /** Marks the turn as cancelled; false if none runs. */
    public boolean cancel() {
        return state.compareAndSet(State.RUNNING, State.CANCELLED) || state.get() == State.CANCELLED;
    }

    public boolean isCancelled() {
        return state.get() == State.CANCELLED;
    }

    /**
     * Ends the turn.
     *
     * @param failed whether the agent reports a failure
     */
    public void end(boolean failed, @Nullable TokenUsage usage) throws InterruptedException {
        State was = state.getAndSet(State.IDLE);
        if (was == State.IDLE) {
            return;
        }
        if (activity != null) {
            activity.idles();
            return;
        }
        boolean cancelled = was == State.CANCELLED;
        frames.put(new Frame.Done(
                failed || cancelled ? 1 : 0, null, cancelled ? "cancelled" : failed ? "failed" : null, usage));
        done.run();
    }
}
