package brig.formats.adapter;

import brig.formats.adapter.Adapter.OutputReader;
import brig.formats.adapter.Adapter.Pipe;
import brig.protocol.spawn.TerminalSize;

/**
 * The input to one process and its output. One thread reads each pipe; one other thread calls the rest and is never
 * blocked.
 *
 * <p>Decision 0058.
 */
public interface Dialogue {
    /** The reader of a pipe; called once for each pipe. */
    OutputReader reader(Pipe pipe);

    /** Called when the process runs: sends what must precede the first message. */
    default void start() {}

    /** Sends a message to the agent; false if it accepts no more. */
    boolean send(String content);

    /** Sends keys to the agent's terminal; false if they have no room, or there is no terminal. */
    default boolean keys(String keys) {
        return false;
    }

    /** Gives the agent's terminal a size, which a frame reports unless it has it; false as for {@link #keys}. */
    default boolean resize(TerminalSize size, long nowMs) throws InterruptedException {
        return false;
    }

    /**
     * Cancels the turn in the agent's own protocol; its {@code done} frame follows. False if the protocol has no
     * cancellation, or no turn runs.
     */
    default boolean cancel() {
        return false;
    }
}
