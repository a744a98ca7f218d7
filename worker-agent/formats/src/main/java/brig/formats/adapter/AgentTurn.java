package brig.formats.adapter;

import brig.formats.adapter.Adapter.Context;
import brig.protocol.frame.Frame;
import brig.protocol.frame.TokenUsage;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The message that an agent works off: begun by whoever hands it over, ended by the thread that reads standard output.
 * An end without a message is none: agents take turns of their own accord.
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

    public AgentTurn(AgentFrames frames, Context context) {
        this(frames, context.turnDone());
    }

    /** Of an agent that others talk with. */
    public AgentTurn(AgentFrames frames) {
        this(frames, () -> {});
    }

    private AgentTurn(AgentFrames frames, Runnable done) {
        this.frames = frames;
        this.done = done;
    }

    public void begin() {
        state.set(State.RUNNING);
    }

    /** Takes the beginning back: the message could not be handed over. */
    public void retract() {
        state.set(State.IDLE);
    }

    /** Notes that it is to be stopped; false where nothing runs. */
    public boolean cancel() {
        return state.compareAndSet(State.RUNNING, State.CANCELLED) || state.get() == State.CANCELLED;
    }

    public boolean isCancelled() {
        return state.get() == State.CANCELLED;
    }

    /**
     * The message is worked off.
     *
     * @param failed whether the agent says that it could not be
     */
    public void end(boolean failed, @Nullable TokenUsage usage) throws InterruptedException {
        State was = state.getAndSet(State.IDLE);
        if (was == State.IDLE) {
            return;
        }
        boolean cancelled = was == State.CANCELLED;
        frames.put(new Frame.Done(
                failed || cancelled ? 1 : 0, null, cancelled ? "cancelled" : failed ? "failed" : null, usage));
        done.run();
    }
}
